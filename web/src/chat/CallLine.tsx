import { Countdown } from "../shared/Countdown";
import { duration } from "../shared/format";
import { Approval } from "./Approval";
import { type Call, type CallStatus, troubleOf } from "./call";

interface CallLineProps {
  call: Call;
  turnPath: { session_id: string; turn_id: string };
  onCancel(): void;
}

const WORDS: Record<CallStatus, string> = {
  asked: "waits for your word",
  running: "running",
  done: "done",
  failed: "failed",
  refused: "refused",
  stopped: "stopped",
};

/** One tool call: a line that opens; what it does while it runs stands below it. */
export function CallLine({ call, turnPath, onCancel }: CallLineProps) {
  const trouble = troubleOf(call);
  return (
    <div className={`call ${call.status}`}>
      <details>
        <summary>
          <span className="tool">{call.tool}</span>
          <span className="state">{WORDS[call.status]}</span>
          {call.milliseconds !== null && <span className="faint">{duration(call.milliseconds)}</span>}
        </summary>
        <Details call={call} />
      </details>
      {call.status === "asked" && <Approval call={call} turnPath={turnPath} />}
      {call.status === "running" && call.progress && <Progress {...call.progress} tool={call.tool} />}
      {call.status === "running" && call.notice && <Notice notice={call.notice} onCancel={onCancel} />}
      {trouble && (
        <p className="trouble">
          {trouble}
          {call.suggestion && <span className="suggestion">{call.suggestion}</span>}
        </p>
      )}
    </div>
  );
}

function Details({ call }: { call: Call }) {
  return (
    <div className="details">
      <h4>Arguments</h4>
      <pre>{written(call.arguments)}</pre>
      {call.logs.length > 0 && (
        <>
          <h4>Log</h4>
          <pre>{call.logs.map(({ level, message }) => `${level}: ${message}`).join("\n")}</pre>
        </>
      )}
      {call.reason && <p>Reason: {call.reason}</p>}
      {call.status !== "running" && call.status !== "asked" && (
        <>
          <h4>{call.errorCode ? `Result (${call.errorCode})` : "Result"}</h4>
          <pre>{written(call.results)}</pre>
        </>
      )}
    </div>
  );
}

function Progress({ percentage, message, tool }: { percentage: number | null; message: string; tool: string }) {
  return (
    <div className="progress">
      <progress max={100} {...(percentage === null ? {} : { value: percentage })} aria-label={`Progress of ${tool}`} />
      <span>{message}</span>
    </div>
  );
}

interface NoticeProps {
  notice: NonNullable<Call["notice"]>;
  onCancel(): void;
}

function Notice({ notice, onCancel }: NoticeProps) {
  return (
    <div className="notice">
      <span>
        {notice.message}
        <Countdown from={notice.at} seconds={notice.left} />
      </span>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </div>
  );
}

function written(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null, null, 2);
}
