import { Component, type ReactNode } from "react";

import type { Item } from "./item";
import { NotShown } from "./Shown";

interface GuardProps {
  item: Item;
  children: ReactNode;
}

/** A file that a viewer stumbles over costs that pane, not the page. */
export class Guard extends Component<GuardProps, { stumbled: boolean }> {
  override state = { stumbled: false };

  static getDerivedStateFromError() {
    return { stumbled: true };
  }

  override render() {
    if (!this.state.stumbled) return this.props.children;
    return <NotShown item={this.props.item} why="This file cannot be shown here." />;
  }
}
