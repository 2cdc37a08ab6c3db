// Defines <regard-translator>, the page of the server, and <regard-steps>, its dialog.
import { RegardSteps } from "./steps";
import { RegardTranslator } from "./translator";

customElements.define("regard-steps", RegardSteps);
customElements.define("regard-translator", RegardTranslator);
