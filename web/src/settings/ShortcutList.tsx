import { listShortcuts } from "./shortcuts";
import "./settings.css";

/** Keys and what they do. */
export function ShortcutList() {
  return (
    <dl className="shortcuts">
      {listShortcuts().map(([keys, effect]) => (
        <div key={keys}>
          <dt>{effect}</dt>
          <dd>
            {keys.split(" ").map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
