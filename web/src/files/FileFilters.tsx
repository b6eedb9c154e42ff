import type { Filters } from "./useFiles";

interface FileFiltersProps {
  filters: Filters;
  sessionId: string | null;
  onChange(filters: Filters): void;
}

const SOURCES = ["uploaded", "generated", "deferred"] as const;

/** Which files are meant: those that fit everything that is given. */
export function FileFilters({ filters, sessionId, onChange }: FileFiltersProps) {
  const source = SOURCES.find((each) => each === filters.source) ?? "";
  return (
    <details className="file-filters">
      <summary>Filter</summary>
      <label>
        Name begins with
        <input
          type="search"
          value={filters.prefix}
          onChange={(event) => onChange({ ...filters, prefix: event.target.value })}
        />
      </label>
      <label>
        From
        <select
          value={source}
          onChange={({ target }) => onChange({ ...filters, source: SOURCES.find((each) => each === target.value) ?? null })}
        >
          <option value="">anywhere</option>
          {SOURCES.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <label>
        Category
        <input
          type="search"
          value={filters.category}
          onChange={(event) => onChange({ ...filters, category: event.target.value })}
        />
      </label>
      <label className="file-scope">
        <input
          type="checkbox"
          checked={filters.sessionId !== null}
          disabled={sessionId === null}
          onChange={(event) => onChange({ ...filters, sessionId: event.target.checked ? sessionId : null })}
        />
        Only this session
      </label>
    </details>
  );
}
