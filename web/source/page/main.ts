// Defines <regard-translator>, the page of the server, and its parts: <regard-steps>, the dialog,
// and <regard-document>.
import { RegardDocument } from "./document";
import { RegardSteps } from "./steps";
import { RegardTranslator } from "./translator";

customElements.define("regard-document", RegardDocument);
customElements.define("regard-steps", RegardSteps);
customElements.define("regard-translator", RegardTranslator);
