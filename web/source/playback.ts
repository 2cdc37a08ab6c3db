// Playback: the steps of a sentence, the stages of a step, and how long they are shown.
import { textAxis, type Unit, type Units } from "./chart";
import { stagesOf } from "./narration";
import type { Explanation } from "./record";
import type { Selection } from "./state";

export const SENTENCE = 19; // seconds: the longest playback of a sentence at normal speed
const STAGE = { stage: 0.75, trace: 1.6 }; // seconds for one stage of a short sentence

/** The steps of a view as positions of the target, and the stages of each of them. */
export interface Playback {
  steps: number[];
  stages: number[];
}

export function isPlayable(view: string): view is "stage" | "trace" {
  return view === "stage" || view === "trace";
}

/** The units of a target in the order in which they are predicted. */
export function targetUnits({ target }: Explanation, units: Units): Unit[] {
  return textAxis("target", target, units)
    .units.filter(({ positions }) => positions.length)
    .sort((a, b) => a.positions[0] - b.positions[0]);
}

export function playback(records: Explanation[], selection: Selection): Playback {
  const record = records[selection.record];
  if (selection.view === "trace")
    return { steps: [...record.steps.keys()], stages: [...Array(stagesOf(record)).keys()] };
  const longest = records
    .map((each) => targetUnits(each, selection.units))
    .reduce((a, b) => (b.length > a.length ? b : a));
  const attends = records.some(({ attentions }) => attentions.length);
  return {
    steps: longest.map(({ positions }) => positions[0]),
    stages: attends ? [0, 2, 4, 5] : [0, 5],
  };
}

/** The indices of the selected step and stage. */
export function currentStep({ steps, stages }: Playback, { row, stage }: Selection) {
  const last = (all: number[], value: number) => all.filter((each) => each <= value).length - 1;
  return { step: Math.max(0, last(steps, row)), stage: Math.max(0, last(stages, stage)) };
}

/** `by` stages forward or back, across steps; it stops at both ends. */
export function advanced(
  selection: Selection,
  records: Explanation[],
  by: number,
): Partial<Selection> {
  const all = playback(records, selection);
  const { step, stage } = currentStep(all, selection);
  const count = all.stages.length;
  const last = all.steps.length * count - 1;
  const from = step * count + stage;
  const to = Math.max(0, Math.min(last, from + by));
  if (to === from) return { playing: false };
  const row = all.steps[Math.floor(to / count)];
  const moved = Math.floor(to / count) === step ? {} : { row, column: -1 };
  return { ...moved, stage: all.stages[to % count], started: true };
}

/** `by` steps forward or back; the stage shows the output of the step. */
export function jumped(
  selection: Selection,
  records: Explanation[],
  by: number,
): Partial<Selection> {
  const all = playback(records, selection);
  const { step } = currentStep(all, selection);
  const to = Math.max(0, Math.min(all.steps.length - 1, step + by));
  const output = selection.view === "stage" ? { stage: 5, started: true } : {};
  return { ...output, row: all.steps[to], column: -1, playing: false };
}

/** Plays or pauses; playback that is at the end, or has not begun, begins at the first step. */
export function toggled(selection: Selection, records: Explanation[]): Partial<Selection> {
  if (selection.playing) return { playing: false };
  const { playing } = advanced(selection, records, 1);
  const fresh = playing === false || !selection.started;
  const first = { row: 0, column: -1, stage: 0 } as const;
  return { ...(fresh ? first : {}), playing: true, started: true, detail: null };
}

/** Seconds for one stage. */
export function pace(selection: Selection, records: Explanation[]): number {
  if (!isPlayable(selection.view)) return 0;
  const { steps, stages } = playback(records, selection);
  const shown = steps.length * stages.length;
  return Math.min(STAGE[selection.view], SENTENCE / shown) / selection.speed;
}
