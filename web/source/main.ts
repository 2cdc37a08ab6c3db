// Defines <regard-view>, and <regard-live> and <regard-race> of pages with models.
import { RegardLive } from "./live/live";
import { RegardRace } from "./live/race";
import { RegardView } from "./view";

const elements = [
  ["regard-view", RegardView],
  ["regard-live", RegardLive],
  ["regard-race", RegardRace],
] as const;
for (const [name, element] of elements)
  if (!customElements.get(name)) customElements.define(name, element);
