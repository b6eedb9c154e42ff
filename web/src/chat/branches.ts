/** The branches of a chat: an edited message follows the same turn as the original. Pure. */

export const START = "start";

interface Branching {
  turnId: string;
  /** The turn that it follows, or `START`; null: the one before it in the chat. */
  after: string | null;
}

export interface Branches<TurnT> {
  /** The turns of the branch, oldest first. */
  shown: readonly TurnT[];
  /** The turn that a turn follows: `START` if none, null if it is not loaded. */
  before(turn: TurnT): string | null;
  /** The turns that follow the same turn, the original first. */
  alternatives(turn: TurnT): readonly TurnT[];
  /** The newest turn of the branches that go through a turn. */
  newestBehind(turn: TurnT): TurnT;
}

/** Return the branch that ends with a turn (null: the newest). `turns` are those that are loaded, oldest first. */
export function branchesOf<TurnT extends Branching>(turns: readonly TurnT[], last: string | null, hasOlder: boolean): Branches<TurnT> {
  const byId = new Map(turns.map((turn) => [turn.turnId, turn]));
  const before = new Map(turns.map((turn, index) => [turn.turnId, turn.after ?? turns[index - 1]?.turnId ?? (hasOlder ? null : START)]));
  const behind = new Map<string | null, TurnT[]>();
  for (const turn of turns) {
    const place = before.get(turn.turnId) ?? null;
    behind.set(place, [...(behind.get(place) ?? []), turn]);
  }
  const branchTo = (end: TurnT | undefined): Set<TurnT> => {
    const branch = new Set<TurnT>();
    for (let turn = end; turn !== undefined && !branch.has(turn); turn = byId.get(before.get(turn.turnId) ?? "")) branch.add(turn);
    return branch;
  };
  return {
    shown: [...branchTo(byId.get(last ?? "") ?? turns.at(-1))].reverse(),
    before: (turn) => before.get(turn.turnId) ?? null,
    alternatives: (turn) => {
      const place = before.get(turn.turnId) ?? null;
      return place === null ? [turn] : (behind.get(place) ?? [turn]);
    },
    newestBehind: (turn) => turns.findLast((one) => branchTo(one).has(turn)) ?? turn,
  };
}
