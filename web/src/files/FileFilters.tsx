import { KINDS, type Kind, ORDERS, type Order } from "./fileOrder";
import type { Filters } from "./useFiles";

/** What the user wants to see of the files, and in which order. */
export interface FileQuery extends Filters {
  text: string;
  kind: Kind | null;
  order: Order;
}

interface FileFiltersProps {
  query: FileQuery;
  sessionId: string | null;
  onChange(query: FileQuery): void;
}

const SOURCES = [
  [null, "All"],
  ["uploaded", "Uploaded"],
  ["generated", "From tools"],
  ["deferred", "Not ready yet"],
] as const;

/** Search, filters and order of the file list; a file must match all of them. */
export function FileFilters({ query, sessionId, onChange }: FileFiltersProps) {
  return (
    <search className="file-filters">
      <input
        type="search"
        aria-label="Search files"
        placeholder="Search files"
        value={query.text}
        onChange={(event) => onChange({ ...query, text: event.target.value })}
      />
      <div className="chips" role="group" aria-label="Filters">
        {SOURCES.map(([source, label]) => (
          <Chip key={label} label={label} pressed={query.source === source} onClick={() => onChange({ ...query, source })} />
        ))}
        {sessionId !== null && (
          <Chip
            label="This chat"
            pressed={query.sessionId !== null}
            onClick={() => onChange({ ...query, sessionId: query.sessionId === null ? sessionId : null })}
          />
        )}
      </div>
      <div className="file-order">
        <Choice
          label="Kind"
          value={query.kind ?? "All kinds"}
          options={["All kinds", ...KINDS]}
          onChange={(kind) => onChange({ ...query, kind: KINDS.find((one) => one === kind) ?? null })}
        />
        <Choice
          label="Order"
          value={query.order}
          options={ORDERS}
          onChange={(order) => onChange({ ...query, order: ORDERS.find((one) => one === order) ?? "Newest" })}
        />
      </div>
    </search>
  );
}

function Chip({ label, pressed, onClick }: { label: string; pressed: boolean; onClick(): void }) {
  return (
    <button type="button" className="chip" aria-pressed={pressed} onClick={onClick}>
      {label}
    </button>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly string[];
  onChange(value: string): void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <select className="quiet" aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {options.map((option) => (
        <option key={option}>{option}</option>
      ))}
    </select>
  );
}
