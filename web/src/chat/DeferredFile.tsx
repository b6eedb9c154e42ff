import type { Deferred } from "../api/types";
import { DateTime } from "../shared/DateTime";
import { DeferralDetails } from "../shared/DeferralDetails";
import { ArtifactButton } from "./ArtifactButton";
import { texts } from "../texts";
import { Phrase } from "../shared/Phrase";

interface DeferredFileProps {
  file: Deferred;
  onOpen(): void;
}

/** A file that waits for the user: the button that opens it, why it waits, what the user can do, and its expiry. */
export function DeferredFile({ file, onOpen }: DeferredFileProps) {
  const isExpired = Date.parse(file.expires_at ?? "") <= Date.now();
  return (
    <section className="deferred-file" aria-label={texts.files.needsReview(file.name)}>
      <ArtifactButton file={file} id={file.file_key} onOpen={onOpen} />
      <DeferralDetails file={file} />
      {file.expires_at && (
        <p className="faint">
          <Phrase text={isExpired ? texts.files.expired : texts.files.expires} parts={{ time: <DateTime at={file.expires_at} /> }} />
        </p>
      )}
    </section>
  );
}
