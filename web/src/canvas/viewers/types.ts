import type { Item } from "../item";

export interface ViewerProps {
  item: Item;
}
