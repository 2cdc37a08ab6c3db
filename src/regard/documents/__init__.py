"""Documents: extract texts with inline markup, translate them, and restore the document."""
