import type { Artifact, Deferred } from "../api/types";
import { size } from "../shared/format";
import { Icon, iconOf } from "../shared/icons";

interface ArtifactButtonProps {
  file: Artifact | Deferred;
  onOpen(): void;
}

/** A file that a tool made, in the form of spec 5 "UI Display". */
export function ArtifactButton({ file, onOpen }: ArtifactButtonProps) {
  const isArtifact = "id" in file;
  const type = isArtifact ? file.type : file.mime;
  return (
    <button
      type="button"
      className="artifact-button"
      data-artifact-id={isArtifact ? file.id : file.file_key}
      data-artifact-type={type}
      title={file.description ?? file.name}
      onClick={onOpen}
    >
      <Icon name={iconOf(type)} />
      <span className="name">{isArtifact ? file.title : file.name}</span>
      <span className="faint">
        {size(file.size)}
        {!isArtifact && " · waits for you"}
      </span>
    </button>
  );
}
