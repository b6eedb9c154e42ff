import { lazy, Suspense } from "react";
import { Countdown } from "../shared/Countdown";
import { formatDuration } from "../shared/format";
import { ApprovalForm } from "./ApprovalForm";
import { CallResult, formatValue } from "./CallResult";
import { describeProblems, listFacts, type MetaData } from "./metaData";
import { errorOf, isErrorOnly, isOpen, type ToolCall } from "./toolCall";
import { texts } from "../texts";

const QuestionForm = lazy(() => import("./QuestionForm"));

interface ToolCallViewProps {
  call: ToolCall;
  turnPath: { session_id: string; turn_id: string };
  onCancel(): void;
}

/** One tool call: a summary line that expands, and below it the approval form, the progress, the error or problems. */
export function ToolCallView({ call, turnPath, onCancel }: ToolCallViewProps) {
  const error = errorOf(call);
  return (
    <div className={`call ${call.status}`}>
      <details>
        <summary>
          <span className="tool">{call.tool}</span>
          <span className="state">{texts.call.status[call.status]}</span>
          {call.milliseconds !== null && <span className="faint">{formatDuration(call.milliseconds)}</span>}
        </summary>
        <Details call={call} />
      </details>
      {call.status === "needs-approval" && <ApprovalForm call={call} turnPath={turnPath} />}
      {call.questions.length > 0 && (
        <Suspense>
          {call.questions.map((question) => (
            <QuestionForm key={question.input_id} question={question} turnPath={turnPath} />
          ))}
        </Suspense>
      )}
      {call.status === "running" && call.progress && <Progress {...call.progress} tool={call.tool} />}
      {call.status === "running" && call.notice && <Notice notice={call.notice} onCancel={onCancel} />}
      {error && (
        <p className="error-message">
          {error}
          {call.errorCode && <code className="error-code faint">{call.errorCode}</code>}
          {call.suggestion && <span className="suggestion">{call.suggestion}</span>}
        </p>
      )}
      <Problems call={call} />
    </div>
  );
}

const MAX_PROBLEMS = 5;

/** What the call did not get or do, such as a file that was not stored; long lists are collapsed. */
function Problems({ call }: { call: ToolCall }) {
  const problems = describeProblems(call.metaData);
  if (problems.length === 0) return null;
  const toItem = (problem: string, index: number) => <li key={index}>{problem}</li>;
  const hidden = problems.slice(MAX_PROBLEMS);
  return (
    <section className="problems" aria-label={texts.call.problems(call.tool)}>
      <ul>{problems.slice(0, MAX_PROBLEMS).map(toItem)}</ul>
      {hidden.length > 0 && (
        <details>
          <summary>{texts.call.more(hidden.length)}</summary>
          <ul>{hidden.map(toItem)}</ul>
        </details>
      )}
    </section>
  );
}

function Details({ call }: { call: ToolCall }) {
  return (
    <div className="details">
      {call.status !== "needs-approval" && (
        <>
          <h4>{texts.call.arguments}</h4>
          <pre>{formatValue(call.arguments)}</pre>
        </>
      )}
      {call.logs.length > 0 && (
        <>
          <h4>{texts.call.log}</h4>
          <pre>{call.logs.map(({ level, message }) => `${level}: ${message}`).join("\n")}</pre>
        </>
      )}
      {call.reason && <p>{texts.call.reason(call.reason)}</p>}
      {!isOpen(call) && (
        <>
          {!isErrorOnly(call) && <CallResult results={call.results} />}
          <Facts metaData={call.metaData} />
        </>
      )}
    </div>
  );
}

/** The tool's own facts about its result, such as the number of rows or the source. */
function Facts({ metaData }: { metaData: MetaData }) {
  const facts = listFacts(metaData);
  if (facts.length === 0) return null;
  return (
    <>
      <h4>{texts.call.facts}</h4>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Progress({ percentage, message, tool }: { percentage: number | null; message: string; tool: string }) {
  return (
    <div className="progress">
      <progress max={100} {...(percentage === null ? {} : { value: percentage })} aria-label={texts.call.progress(tool)} />
      <span>{message}</span>
    </div>
  );
}

interface NoticeProps {
  notice: NonNullable<ToolCall["notice"]>;
  onCancel(): void;
}

/** Warning that the tool reports no progress, with the time until it fails. */
function Notice({ notice, onCancel }: NoticeProps) {
  return (
    <div className="notice">
      <span>
        {notice.message}
        <Countdown from={notice.at} seconds={notice.secondsLeft} />
      </span>
      <button type="button" onClick={onCancel}>
        {texts.call.cancel}
      </button>
    </div>
  );
}
