"""Language models: texts that go on."""
