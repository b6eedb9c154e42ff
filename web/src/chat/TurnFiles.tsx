import type { Artifact, Dashboard } from "../api/types";
import type { OpenableOutput, ToolOutput } from "../canvas/types";
import { ArtifactButton, DashboardButton } from "./ArtifactButton";
import { DeferredFile } from "./DeferredFile";

interface TurnFilesProps {
  outputs: readonly ToolOutput[];
  onOpen(output: OpenableOutput): void;
}

/** What the tools of a turn made: a button for each file and each dashboard, in the order of the calls. */
export function TurnFiles({ outputs, onOpen }: TurnFilesProps) {
  const artifacts = outputs.flatMap((output) => output.artifacts);
  const deferred = outputs.flatMap((output) => output.deferred);
  const dashboards = [...new Map(outputs.map(({ dashboard }) => [dashboard?.id, dashboard])).values()].filter((one) => one !== null);
  return (
    <>
      {artifacts.length + dashboards.length > 0 && (
        <div className="artifacts">
          {artifacts.map((file) => (
            <ArtifactButton
              key={versionKey(file)}
              file={file}
              id={uniqueId(file, artifacts)}
              showName={hasSameTitle(file, artifacts)}
              onOpen={() => onOpen(file)}
            />
          ))}
          {dashboards.map((dashboard) => (
            <DashboardButton
              key={dashboard.id}
              dashboard={dashboard}
              showId={hasSameTitle(dashboard, dashboards)}
              onOpen={() => onOpen(dashboard)}
            />
          ))}
        </div>
      )}
      {deferred.map((file) => (
        <DeferredFile key={versionKey(file)} file={file} onOpen={() => onOpen(file)} />
      ))}
    </>
  );
}

type Titled = Pick<Artifact | Dashboard, "title">;

function hasSameTitle(one: Titled, all: readonly Titled[]): boolean {
  return all.some((other) => other !== one && other.title === one.title);
}

function versionKey({ file_key: key, version }: Pick<Artifact, "file_key" | "version">): string {
  return `${key}@${version}`;
}

/** Tools choose ids, so two files of a turn may have the same: then only the first has it. */
function uniqueId(file: Artifact, artifacts: readonly Artifact[]): string {
  const isFirst = artifacts.find(({ id }) => id === file.id) === file;
  return isFirst ? file.id : versionKey(file);
}
