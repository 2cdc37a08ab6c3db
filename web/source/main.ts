// Defines <regard-view> and <regard-live>.
import { RegardLive } from "./live/live";
import { RegardView } from "./view";

if (!customElements.get("regard-view")) customElements.define("regard-view", RegardView);
if (!customElements.get("regard-live")) customElements.define("regard-live", RegardLive);
