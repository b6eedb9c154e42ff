import { type FormEvent, type ReactNode, useState } from "react";
import { ThemePicker } from "../app/ThemePicker";
import { Dialog } from "../shared/Dialog";
import { LANGUAGES, type Language, readLanguage, storeLanguage, texts } from "../texts";
import { ToolLabel } from "../tools/ToolLabel";
import { useServers } from "../tools/useServers";
import { EraseDialog } from "./EraseDialog";
import { PersonalTokens } from "./PersonalTokens";
import { canNotify, readSendKey, SEND_KEYS, type SendKey, setNotifications, storeSendKey, wantsNotifications } from "./preferences";
import { ShortcutList } from "./ShortcutList";
import { Instructions } from "./Instructions";
import "./settings.css";

/** The user's settings, the list of shortcuts, what is installed, and the deletion of all data. */
export default function SettingsDialog({ onClose }: { onClose(): void }) {
  const [isErasing, setErasing] = useState(false);
  if (isErasing) return <EraseDialog onClose={onClose} />;
  return (
    <Dialog title={texts.settings.title} className="settings" onClose={onClose}>
      <Setting label={texts.settings.theme}>
        <ThemePicker />
      </Setting>
      <LanguagePicker />
      <SendKeyPicker />
      <NotificationSwitch />
      <Instructions />
      <section>
        <h3>{texts.settings.shortcuts}</h3>
        <ShortcutList />
      </section>
      <section>
        <h3>{texts.tokens.title}</h3>
        <PersonalTokens />
      </section>
      <section>
        <h3>{texts.settings.servers}</h3>
        <Servers />
      </section>
      <div className="row">
        <button type="button" className="danger" onClick={() => setErasing(true)}>
          {texts.settings.erase}
        </button>
      </div>
    </Dialog>
  );
}

/** One line: what is set on the left, its control on the right. */
function Setting({ label, hint, children }: { label: string; hint?: string; children: ReactNode }) {
  return (
    <div className="setting">
      <span aria-hidden="true">
        {label}
        {hint && <span className="faint hint-line">{hint}</span>}
      </span>
      {children}
    </div>
  );
}

function LanguagePicker() {
  const choose = (language: Language): void => {
    storeLanguage(language);
    location.reload();
  };
  return (
    <Setting label={texts.settings.language} hint={texts.settings.languageHint}>
      <select
        aria-label={texts.settings.language}
        value={readLanguage()}
        onChange={(event) => choose(event.target.value as Language)}
      >
        {Object.entries(LANGUAGES).map(([language, name]) => (
          <option key={language} value={language} lang={language}>
            {name}
          </option>
        ))}
      </select>
    </Setting>
  );
}

function SendKeyPicker() {
  const [sendKey, setSendKey] = useState(readSendKey);
  const choose = (event: FormEvent<HTMLSelectElement>): void => {
    const chosen = event.currentTarget.value as SendKey;
    storeSendKey(chosen);
    setSendKey(chosen);
  };
  return (
    <Setting label={texts.settings.sendKey}>
      <select aria-label={texts.settings.sendKey} value={sendKey} onChange={choose}>
        {SEND_KEYS.map((key) => (
          <option key={key} value={key}>
            {texts.settings.sendKeys[key]}
          </option>
        ))}
      </select>
    </Setting>
  );
}

function readNotifications() {
  return { isOn: wantsNotifications(), isDenied: canNotify() && Notification.permission === "denied" };
}

function NotificationSwitch() {
  const [{ isOn, isDenied }, setState] = useState(readNotifications);
  if (!canNotify()) return null;
  return (
    <label className="setting">
      <span>
        {texts.settings.notify}
        {isDenied && <span className="faint hint-line">{texts.settings.notifyDenied}</span>}
      </span>
      <input
        type="checkbox"
        checked={isOn}
        disabled={isDenied}
        onChange={(event) => void setNotifications(event.target.checked).then(() => setState(readNotifications()))}
      />
    </label>
  );
}

function Servers() {
  const servers = useServers();
  if (servers.status === "loading") return <p className="faint">{texts.app.loading}</p>;
  if (servers.status === "failed") return <p className="error-message">{servers.message}</p>;
  return (
    <ul className="installed">
      {servers.value.map(({ name, title, status, tools }) => (
        <li key={name}>
          <details>
            <summary>
              {title || name}{" "}
              <span className="faint">{status === "ready" ? texts.tools.count(tools.length) : texts.tools.status[status]}</span>
            </summary>
            <ul>
              {tools.map((tool) => (
                <li key={tool.name}>
                  <ToolLabel tool={tool} />
                </li>
              ))}
            </ul>
          </details>
        </li>
      ))}
    </ul>
  );
}
