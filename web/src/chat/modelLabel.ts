/** Names of models for the user. */
import { texts } from "../texts";

/** Name of the built-in substitute for a model, which answers with the output of tools. */
export const NO_MODEL = "offline";

/** Return the name of a model. “offline” would read like a lost connection. */
export function modelLabel(name: string): string {
  return name === NO_MODEL ? texts.composer.noModel : name;
}
