import type { Artifact, Dashboard, Deferred } from "../api/types";
import { formatSize } from "../shared/format";
import { Icon, iconForMime } from "../shared/Icon";
import { texts } from "../texts";

interface ArtifactButtonProps {
  file: Artifact | Deferred;
  /** Id of the artifact; different files of a turn have different ids. */
  id: string;
  /** Added if another file of the turn has the same title. */
  showName?: boolean;
  onOpen(): void;
}

/** Button that opens a file created by a tool; its attributes are a public contract (clause v5:chat:links). */
export function ArtifactButton({ file, id, showName = false, onOpen }: ArtifactButtonProps) {
  const isArtifact = "id" in file;
  const type = isArtifact ? file.type : file.mime;
  const details = [showName && file.name, formatSize(file.size), file.version > 1 && texts.files.version(file.version)];
  return (
    <button
      type="button"
      className="artifact-button"
      data-artifact-id={id}
      data-artifact-type={type}
      title={file.description ?? file.name}
      onClick={onOpen}
    >
      <Icon name={iconForMime(type)} />
      <span className="name">{isArtifact ? file.title : file.name}</span>
      <span className="faint">{details.filter(Boolean).join(" · ")}</span>
    </button>
  );
}

interface DashboardButtonProps {
  dashboard: Dashboard;
  /** Added if another dashboard of the turn has the same title. */
  showId: boolean;
  onOpen(): void;
}

/** Button that opens a dashboard of a tool. */
export function DashboardButton({ dashboard, showId, onOpen }: DashboardButtonProps) {
  return (
    <button type="button" className="dashboard-button" title={new URL(dashboard.url).origin} onClick={onOpen}>
      <Icon name="panel" />
      <span className="name">{dashboard.title ?? dashboard.id}</span>
      <span className="faint">
        {texts.files.dashboard}
        {showId && ` ${dashboard.id}`}
      </span>
    </button>
  );
}
