/** The texts of the page in the user's language: the chosen one, or the first of the browser's that there is. */
import { en, type Texts } from "./en";

/** Each language under its own name. */
export const LANGUAGES = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof LANGUAGES;

const STORAGE_KEY = "satchel.language";

/** Use it in functions only: modules run before the texts are loaded. */
export let texts: Texts = en;

/** Load the texts of the user's language. Call it before anything renders. */
export async function loadTexts(): Promise<void> {
  const language = readLanguage();
  document.documentElement.lang = language;
  if (language === "de") texts = (await import("./de")).de;
}

export function readLanguage(): Language {
  return chooseLanguage([localStorage.getItem(STORAGE_KEY), ...navigator.languages]);
}

/** Store the language. It is used from the next load of the page on. */
export function storeLanguage(language: Language): void {
  localStorage.setItem(STORAGE_KEY, language);
}

/** Return the first language of the tags (`de-AT`) that there is, or English. */
export function chooseLanguage(tags: readonly (string | null)[]): Language {
  const known = tags.map((tag) => tag?.toLowerCase().split("-", 1)[0]).find((tag) => tag !== undefined && Object.hasOwn(LANGUAGES, tag));
  return (known as Language | undefined) ?? "en";
}
