import { expect, it } from "vitest";
import { placeLabel } from "./drawGraph";

const [RIGHT, DOWN, LEFT, UP] = [0, Math.PI / 2, Math.PI, -Math.PI / 2];

it.each([
  ["without edges", [], RIGHT],
  ["beside an edge to the right", [RIGHT], LEFT],
  ["beside a steep edge", [0.9], RIGHT],
  ["beside edges to both sides", [0.1, Math.PI - 0.1], DOWN],
  ["beside edges across the angle of 180°", [RIGHT, -Math.PI + 0.1], DOWN],
  ["beside edges everywhere else", [RIGHT, LEFT, DOWN], UP],
  ["with the most room", [0.1, Math.PI, DOWN + 0.2, UP], DOWN],
])("a label %s does not lie on an edge", (_, edges, expected) => {
  expect(placeLabel(edges).angle).toBe(expected);
});
