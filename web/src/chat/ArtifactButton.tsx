import type { Artifact, Deferred } from "../api/types";
import { formatSize } from "../shared/format";
import { Icon, iconForMime } from "../shared/Icon";

interface ArtifactButtonProps {
  file: Artifact | Deferred;
  onOpen(): void;
}

/** Button that opens a file created by a tool; its attributes are a public contract (clause v5:chat:links). */
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
      <Icon name={iconForMime(type)} />
      <span className="name">{isArtifact ? file.title : file.name}</span>
      <span className="faint">
        {formatSize(file.size)}
        {!isArtifact && " · needs your review"}
      </span>
    </button>
  );
}
