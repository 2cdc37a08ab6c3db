// Defines <regard-view>.
import { RegardView } from "./view";

if (!customElements.get("regard-view")) customElements.define("regard-view", RegardView);
