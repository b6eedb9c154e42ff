import type { Filters } from "./useFiles";

interface FileFiltersProps {
  filters: Filters;
  sessionId: string | null;
  onChange(filters: Filters): void;
}

const SOURCES = ["uploaded", "generated", "deferred"] as const;

/** Filters of the file list; a file must match all of them. */
export function FileFilters({ filters, sessionId, onChange }: FileFiltersProps) {
  const toSource = (value: string | null) => SOURCES.find((source) => source === value) ?? null;
  return (
    <details className="file-filters">
      <summary>Filter</summary>
      <label>
        Search files
        <input
          type="search"
          placeholder="Start of the name"
          value={filters.prefix}
          onChange={(event) => onChange({ ...filters, prefix: event.target.value })}
        />
      </label>
      <label>
        Source
        <select
          value={toSource(filters.source) ?? ""}
          onChange={(event) => onChange({ ...filters, source: toSource(event.target.value) })}
        >
          <option value="">All</option>
          {SOURCES.map((source) => (
            <option key={source} value={source}>
              {source}
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
        This chat only
      </label>
    </details>
  );
}
