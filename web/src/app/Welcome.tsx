import { api, unwrap } from "../api/client";
import type { Config, FileRecord, Tool } from "../api/types";
import { useAsync } from "../canvas/useAsync";
import { fullName } from "../chat/findOffers";
import { fetchTools } from "../chat/useCommands";
import { Icon, iconForMime } from "../shared/Icon";
import { firstSentence } from "../tools/description";
import { fieldsOfSchema } from "../tools/schemaFields";
import { texts } from "../texts";
import "./welcome.css";

interface WelcomeProps {
  config: Config;
  onTool(tool: Tool): void;
  onFile(file: FileRecord): void;
  /** Whether the chat will be a temporary one. */
  isTemporary: boolean;
  setTemporary(temporary: boolean): void;
}

const MAX_CARDS = 4;
const MAX_FILES = 5;

/** First screen of a chat: what the page is for, tools to run, and the newest files. */
export default function Welcome({ config, onTool, onFile, isTemporary, setTemporary }: WelcomeProps) {
  const tools = useAsync("tools", fetchTools);
  const files = useAsync("newest files", fetchNewestFiles);
  return (
    <div className="welcome">
      <h2>{texts.welcome.title}</h2>
      <p>{texts.welcome.intro}</p>
      {hasNoModel(config) && (
        <p className="no-model">
          {texts.welcome.noModel}
          <code>SATCHEL_MODEL</code>
          {texts.welcome.noModelEnd}
        </p>
      )}
      <label className="temporary row">
        <input type="checkbox" role="switch" checked={isTemporary} onChange={(event) => setTemporary(event.target.checked)} />
        <span>
          {texts.sessions.temporary} <span className="faint">{texts.sessions.temporaryHint}</span>
        </span>
      </label>
      {tools.status === "loaded" && tools.value.length > 0 && (
        <div className="cards" role="group" aria-label={texts.welcome.tools}>
          {chooseTools(tools.value).map((tool) => (
            <button key={fullName(tool)} type="button" className="card" onClick={() => onTool(tool)}>
              <span className="row">
                <strong>{tool.title || toWords(tool.name)}</strong>
                <span className="faint last">{tool.server}</span>
              </span>
              <span className="faint">{firstSentence(tool.description ?? "")}</span>
            </button>
          ))}
        </div>
      )}
      {files.status === "loaded" && files.value.length > 0 && (
        <div className="recent" role="group" aria-label={texts.welcome.recentFiles}>
          {files.value.map((file) => (
            <button
              key={file.file_key}
              type="button"
              className="attachment"
              aria-label={texts.welcome.attach(file.name)}
              onClick={() => onFile(file)}
            >
              <Icon name={iconForMime(file.mime)} />
              <span className="name">{file.name}</span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Return true if the only model is the built-in substitute, which answers with the output of tools. */
function hasNoModel({ models }: Config): boolean {
  return models.every(({ name }) => name === "offline");
}

/** Return tools for the cards: of different servers if possible, those that read a file first, then those with few arguments. */
function chooseTools(tools: readonly Tool[]): Tool[] {
  const rank = (tool: Tool): number => {
    const required = fieldsOfSchema(tool.input_schema ?? {}).filter((field) => field.isRequired);
    return required.some((field) => field.kind === "file") ? 0 : required.length + 1;
  };
  const ranked = [...tools].sort((one, other) => rank(one) - rank(other));
  const firstOfServer = ranked.filter((tool) => ranked.find((other) => other.server === tool.server) === tool);
  return [...new Set([...firstOfServer, ...ranked])].slice(0, MAX_CARDS);
}

/** "summarise_file" → "Summarise file". */
function toWords(name: string): string {
  const words = name.replaceAll(/[_-]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

async function fetchNewestFiles(): Promise<FileRecord[]> {
  return (await unwrap(api.GET("/api/files", { params: { query: { limit: MAX_FILES } } }))).files;
}
