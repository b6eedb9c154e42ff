import type { Deferred, FileRecord } from "../api/types";
import { texts } from "../texts";

type DeferralFields = Pick<Deferred | FileRecord, "name" | "status" | "description" | "next_actions">;

/** The description of a file and, if the file waits for the user, the reason and the suggested next steps. */
export function DeferralDetails({ file: { name, status, description, next_actions: actions } }: { file: DeferralFields }) {
  return (
    <>
      {description && <p>{description}</p>}
      {status && <p className="waiting">{texts.files.waiting(status)}</p>}
      {actions.length > 0 && (
        <ul aria-label={texts.files.nextSteps(name)}>
          {actions.map((action, index) => (
            <li key={index}>{action}</li>
          ))}
        </ul>
      )}
    </>
  );
}
