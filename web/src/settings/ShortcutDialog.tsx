import { Dialog } from "../shared/Dialog";
import { texts } from "../texts";
import { ShortcutList } from "./ShortcutList";

/** The list of shortcuts, opened by one of them. */
export default function ShortcutDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title={texts.settings.shortcuts} className="settings" onClose={onClose}>
      <ShortcutList />
    </Dialog>
  );
}
