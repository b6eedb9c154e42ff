import { useState } from "react";
import { readTheme, setTheme, THEMES, type Theme } from "./theme";

const LABELS: Record<Theme, string> = { system: "System theme", light: "Light theme", dark: "Dark theme" };

/** Choose the colors of the page in this browser. */
export function ThemePicker() {
  const [theme, setShown] = useState(readTheme);
  return (
    <select
      aria-label="Theme"
      value={theme}
      onChange={(event) => {
        const chosen = THEMES.find((one) => one === event.target.value) ?? "system";
        setTheme(chosen);
        setShown(chosen);
      }}
    >
      {THEMES.map((one) => (
        <option key={one} value={one}>
          {LABELS[one]}
        </option>
      ))}
    </select>
  );
}
