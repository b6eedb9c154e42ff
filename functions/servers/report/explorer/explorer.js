/** The page: filter, sort, chart, and save rows of the file that the tool was called with. */
const PAGE_ROWS = 100;
const SVG = "http://www.w3.org/2000/svg";
const by = (id) => document.getElementById(id);
const plural = (count) => `${count.toLocaleString()} ${count === 1 ? "row" : "rows"}`;

let table = null;
let fileName = "";
let shown = []; // numbers of the rows that match the filter, sorted
let sorting = { column: null, isDescending: false };
let page = 0;
const selected = new Set();

const host = new Host({ context: applyContext, result: (result) => void load(result) });

function applyContext({ theme, styles }) {
  const root = document.documentElement;
  if (theme) root.dataset.theme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) if (value) root.style.setProperty(name, value);
}

async function load({ structuredContent, isError }) {
  if (isError || !structuredContent) return say("The tool has no result.");
  const { results, meta_data: details } = structuredContent;
  fileName = results.file;
  by("title").textContent = fileName;
  try {
    table = new Table(await readFile(fileName), details.delimiter);
  } catch (error) {
    return say(`The file cannot be read: ${error.message}`);
  }
  const columns = table.names.map((name, index) => new Option(name, index));
  by("chart-column").replaceChildren(...columns);
  by("chart-column").value = Math.max(0, table.isNumeric.indexOf(true));
  by("filter-column").replaceChildren(new Option("all columns", ""), ...columns.map((option) => option.cloneNode(true)));
  by("filter-column").value = "";
  for (const id of ["filter", "filter-column"]) by(id).disabled = false;
  update();
}

/** The files of the call are resources of the host, which reads them for the page: it has no network. */
async function readFile(name) {
  const { resources } = await host.request("resources/list", {});
  const file = resources.find((resource) => resource.name === name) ?? resources[0];
  if (!file) throw new Error("the host offers no files to apps.");
  const { contents } = await host.request("resources/read", { uri: file.uri });
  if (contents[0].text === undefined) throw new Error("it is not text in UTF-8.");
  return contents[0].text;
}

function say(text) {
  by("status").textContent = text;
}

/** Apply filter and sorting, and draw everything. */
function update() {
  const column = by("filter-column").value;
  shown = table.filter(by("filter").value, column === "" ? null : Number(column));
  if (sorting.column !== null) shown = table.sort(shown, sorting.column, sorting.isDescending);
  page = 0;
  drawHeader();
  drawPage();
  drawChart();
}

function drawHeader() {
  const headers = table.names.map((name, column) => {
    const cell = document.createElement("th");
    const button = document.createElement("button");
    const isSorted = sorting.column === column;
    cell.scope = "col";
    cell.ariaSort = isSorted ? (sorting.isDescending ? "descending" : "ascending") : "none";
    button.type = "button";
    button.textContent = name + (isSorted ? (sorting.isDescending ? " ▼" : " ▲") : "");
    button.onclick = () => sortBy(column);
    cell.append(button);
    return cell;
  });
  const select = document.createElement("th");
  select.scope = "col";
  select.textContent = "Select";
  by("header").replaceChildren(select, ...headers);
}

/** Ascending, then descending, then the order of the file. */
function sortBy(column) {
  if (sorting.column !== column) sorting = { column, isDescending: false };
  else sorting = sorting.isDescending ? { column: null, isDescending: false } : { column, isDescending: true };
  update();
  by("header").querySelectorAll("button")[column].focus();
}

function drawPage() {
  const pages = Math.max(1, Math.ceil(shown.length / PAGE_ROWS));
  const rows = shown.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS);
  by("rows").replaceChildren(...rows.map(drawRow));
  by("page").textContent = `Page ${(page + 1).toLocaleString()} of ${pages.toLocaleString()}`;
  by("previous").disabled = page === 0;
  by("next").disabled = page === pages - 1;
  drawSelection();
}

function drawRow(row) {
  const line = document.createElement("tr");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = selected.has(row);
  box.ariaLabel = `Select row ${row + 1}`;
  box.onchange = () => {
    if (box.checked) selected.add(row);
    else selected.delete(row);
    drawSelection();
  };
  const first = document.createElement("td");
  first.append(box);
  const cells = table.names.map((_, column) => {
    const cell = document.createElement("td");
    cell.textContent = table.cell(row, column);
    if (table.isNumeric[column]) cell.className = "number";
    return cell;
  });
  line.append(first, ...cells);
  return line;
}

/** Return the rows to save: the selected ones in their order, or all that match the filter. */
function rowsToSave() {
  const chosen = shown.filter((row) => selected.has(row));
  return chosen.length > 0 ? chosen : shown;
}

function drawSelection() {
  const rows = rowsToSave();
  by("save").textContent = `Save ${plural(rows.length)} as a file`;
  by("save").disabled = rows.length === 0;
  say(`${shown.length.toLocaleString()} of ${plural(table.rows.length)}`);
}

function drawChart() {
  const column = Number(by("chart-column").value);
  const bars = table.bars(shown, column);
  const highest = bars.reduce((most, { count }) => Math.max(most, count), 1);
  const width = 400 / Math.max(1, bars.length);
  const shapes = bars.map(({ label, count }, index) => {
    const bar = document.createElementNS(SVG, "rect");
    const title = document.createElementNS(SVG, "title");
    const height = (118 * count) / highest;
    for (const [name, value] of Object.entries({ x: index * width, y: 120 - height, width: width * 0.9, height }))
      bar.setAttribute(name, value);
    title.textContent = `${label}: ${plural(count)}`;
    bar.append(title);
    return bar;
  });
  by("bars").replaceChildren(...shapes);
  const most = bars.reduce((a, b) => (b.count > a.count ? b : a), { label: "", count: 0 });
  by("caption").textContent =
    bars.length === 0 ? `${table.names[column]}: no values` : `${table.names[column]}: most often ${most.label} (${plural(most.count)})`;
}

async function save() {
  const rows = rowsToSave();
  const text = formatCsv([table.names, ...rows.map((row) => table.names.map((_, column) => table.cell(row, column)))], table.delimiter);
  const name = `${fileName.replace(/\.[^.]*$/, "")}_selection.csv`;
  const resource = { uri: `file:///${encodeURIComponent(name)}`, mimeType: "text/csv", text };
  say(`Saving ${plural(rows.length)}…`);
  try {
    const { isError } = await host.request("ui/download-file", { contents: [{ type: "resource", resource }] });
    say(isError ? "Nothing was saved." : `Saved ${plural(rows.length)} as ${name}.`);
  } catch (error) {
    say(`Nothing was saved: ${error.message}`);
  }
}

by("filter").oninput = update;
by("filter-column").onchange = update;
by("chart-column").onchange = drawChart;
by("save").onclick = () => void save();
by("previous").onclick = () => turnPage(-1);
by("next").onclick = () => turnPage(1);

function turnPage(step) {
  page += step;
  drawPage();
  by("table").scrollTop = 0;
}

new ResizeObserver(([{ target }]) => {
  host.notify("ui/notifications/size-changed", { height: Math.ceil(target.getBoundingClientRect().height) });
}).observe(document.querySelector("main"));
void host.connect();
