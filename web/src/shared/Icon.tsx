/** Decorative line icons in the text color. Screen readers skip them, so each needs a visible or accessible label. */
const PATHS = {
  archive: "M3 5h18v4H3zM5 9v10h14V9M10 13h4",
  attach: "M14 6.5 7.5 13a2.5 2.5 0 0 0 3.5 3.5l6-6a4.2 4.2 0 0 0-6-6l-6 6a6 6 0 0 0 8.5 8.5l5-5",
  back: "M20 12H5m6-6-6 6 6 6",
  bad: "M7 13V4H4v9zM7 13l4 8a3 3 0 0 0 3-3v-4h5a2 2 0 0 0 2-2l-2-6a3 3 0 0 0-3-2H7",
  chart: "M4 20V10m6 10V4m6 16v-7M2 20h20",
  chat: "M4 5h16v11H9l-5 4z",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2",
  close: "M6 6l12 12M18 6 6 18",
  code: "m8 7-5 5 5 5m8-10 5 5-5 5",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  down: "M12 5v14m-6-6 6 6 6-6",
  download: "M12 4v12m-5-5 5 5 5-5M4 20h16",
  edit: "M4 20h4L19 9l-4-4L4 16z",
  expand: "M14 4h6v6m0-6-7 7M10 20H4v-6m0 6 7-7",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  folder: "M3 6h7l2 2h9v11H3z",
  good: "M7 11v9H4v-9zM7 11l4-8a3 3 0 0 1 3 3v4h5a2 2 0 0 1 2 2l-2 6a3 3 0 0 1-3 2H7",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9h.01",
  external: "M10 5H5v14h14v-5M14 4h6v6m0-6-9 9",
  list: "M8 6h13M8 12h13M8 18h13M3 6h.01M3 12h.01M3 18h.01",
  mention: "M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0v1.5a2.5 2.5 0 0 0 5 0V12a9 9 0 1 0-3.5 7.1",
  menu: "M4 6h16M4 12h16M4 18h16",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  page: "M3 5h18v14H3zM3 9h18",
  split: "M3 5h18v14H3zM12 5v14",
  panel: "M3 5h18v14H3zM14 5v14",
  pin: "M9 3h6l-1 7 4 3v2H6v-2l4-3zM12 15v6",
  plus: "M12 5v14M5 12h14",
  retry: "M4 12a8 8 0 1 0 2.5-5.8L4 8.5M4 4v4.5h4.5",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5",
  send: "M12 20V5m-6 6 6-6 6 6",
  settings: "M4 7h9m4 0h3M4 17h3m4 0h9M15 4.5v5M9 14.5v5",
  share: "M12 15V4m-4 4 4-4 4 4M6 12v8h12v-8",
  sound: "M4 10v4h4l5 4V6l-5 4zM17 9a4 4 0 0 1 0 6",
  stop: "M7 7h10v10H7z",
  sidebar: "M3 5h18v14H3zM9 5v14",
  table: "M3 5h18v14H3zM3 10h18M3 15h18M9 5v14",
  tool: "M14 6a4 4 0 0 1 5-1l-3 3 1 2 2 1 3-3a4 4 0 0 1-5.500 5L8 21l-4-4 8-8.500A4 4 0 0 1 14 6z",
  trash: "M5 7h14M9 7V4h6v3m-8 0 1 13h8l1-13",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

const ICONS_BY_MIME: readonly [RegExp, IconName][] = [
  [/^image\//, "image"],
  [/^audio\//, "sound"],
  [/bibliography/, "list"],
  [/knowledge-graph/, "chart"],
  [/csv|tab-separated|spreadsheet|parquet/, "table"],
  [/html/, "page"],
  [/wordprocessingml|presentationml/, "file"], // their names contain "xml"
  [/json|javascript|x-python|xml/, "code"],
];

/** Return the icon for a MIME type. */
export function iconForMime(mime: string): IconName {
  return ICONS_BY_MIME.find(([pattern]) => pattern.test(mime))?.[1] ?? "file";
}
