// Texts of the page: warnings in plain words, names of languages.
import type { Model } from "./api";

const REASONS: Record<string, string> = {
  "low probability under the model": "The model is unsure of the whole sentence.",
  "token probabilities vary widely": "The model is unsure of parts of the sentence.",
  "one token or the end is very unlikely": "The model is unsure of at least one word.",
  "consecutive source words have no attention": "Several words in a row may not be translated.",
  "repeated words": "Words are repeated.",
  "short for its source": "It is short; something may be missing.",
  "long for its source": "It is long; something may have been added.",
};

/** A warning of the server in plain words. */
export function plainWarning(warning: string): string {
  const reason = /^Check the translation: (.*)\.$/u.exec(warning)?.[1] ?? "";
  return (
    REASONS[reason] ?? warning.replace("Source words without a counterpart", "Not found in it")
  );
}

/** The beginning of a sentence, in quotation marks, to name it. */
export function beginning(sentence: string): string {
  const characters = Array.from(sentence);
  return `“${characters.length > 30 ? `${characters.slice(0, 29).join("").trim()}…` : sentence}”`;
}

const NAMES = new Intl.DisplayNames(["en"], { type: "language", fallback: "code" });

export function languageName(code: string | null): string {
  if (!code) return "";
  try {
    return NAMES.of(code) ?? code;
  } catch {
    return code;
  }
}

/** “English → German”; with the model's name if it is none of languages, or not the only one. */
export function modelLabel(model: Model, models: Model[]): string {
  const { name, source_language: source, target_language: target } = model;
  if (!source || !target) return name;
  const pair = `${languageName(source)} → ${languageName(target)}`;
  const twins = models.filter(
    (each) => each.source_language === source && each.target_language === target,
  );
  return twins.length > 1 ? `${pair} (${name})` : pair;
}

/** The name of a model; with its languages if it has several pairs of them. */
export function modelKey(model: Model, models: Model[]): string {
  const several = models.filter((each) => each.name === model.name).length > 1;
  const { name, source_language: source, target_language: target } = model;
  return several ? `${name} ${source}-${target}` : name;
}

/** The model of the opposite direction. */
export function reverseOf(model: Model, models: Model[]): Model | undefined {
  if (!model.source_language) return undefined;
  return models.find(
    (each) =>
      each.source_language === model.target_language &&
      each.target_language === model.source_language,
  );
}
