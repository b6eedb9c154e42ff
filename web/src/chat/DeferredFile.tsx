import type { Deferred } from "../api/types";
import { DateTime } from "../shared/DateTime";
import { DeferralDetails } from "../shared/DeferralDetails";
import { ArtifactButton } from "./ArtifactButton";

interface DeferredFileProps {
  file: Deferred;
  onOpen(): void;
}

/** A file that waits for the user: the button that opens it, why it waits, what the user can do, and its expiry. */
export function DeferredFile({ file, onOpen }: DeferredFileProps) {
  const isExpired = Date.parse(file.expires_at ?? "") <= Date.now();
  return (
    <section className="deferred-file" aria-label={`${file.name} needs your review`}>
      <ArtifactButton file={file} id={file.file_key} onOpen={onOpen} />
      <DeferralDetails file={file} />
      {file.expires_at && (
        <p className="faint">
          {isExpired ? "Expired" : "Expires"} <DateTime at={file.expires_at} /> unless you keep it in My Files
        </p>
      )}
    </section>
  );
}
