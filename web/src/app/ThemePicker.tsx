import { useState } from "react";
import { texts } from "../texts";
import { readTheme, setTheme, THEMES } from "./theme";

/** Choose the colors of the page in this browser. */
export function ThemePicker() {
  const [theme, setShown] = useState(readTheme);
  return (
    <select
      aria-label={texts.settings.theme}
      value={theme}
      onChange={(event) => {
        const chosen = THEMES.find((one) => one === event.target.value) ?? "system";
        setTheme(chosen);
        setShown(chosen);
      }}
    >
      {THEMES.map((one) => (
        <option key={one} value={one}>
          {texts.settings.themes[one]}
        </option>
      ))}
    </select>
  );
}
