import type { Direction, Verdict } from '../../proxy/way.js';
import type { Refusal } from '../../proxy/proxy.js';
import { differenceOf, type Fields, textOf } from '../../scenario/match.js';
import { clientOf, type Stage } from '../stage.js';
import { assertLike, eventually } from './expectations.js';
import type { StepKind, StepKinds } from './step.js';

const direction = (value: unknown): Direction | undefined => {
  if (value === undefined || value === 'server' || value === 'client') return value;
  throw new TypeError(`${textOf(value)} is neither server nor client`);
};

/** A step that does something to the network of a client at once. */
const atOnce = (optional: readonly string[], act: (stage: Stage, fields: Fields) => void): StepKind => ({
  required: ['client'],
  optional,
  run: async (stage, fields) => act(stage, fields),
});

const verdicts: readonly Verdict[] = ['cutBefore', 'cutWithin', 'cutAfter', 'hold', 'lose'];

/** What is to become of a frame that will come, and of its connection. */
const fault: StepKind = {
  required: ['client', 'to', 'frame', 'then'],
  optional: ['where', 'nth'],
  run: async (stage, fields) => {
    const then = verdicts.find((verdict) => verdict === fields['then']);
    const to = direction(fields['to']);
    if (then === undefined || to === undefined)
      throw new TypeError(`There is no fault ${String(fields['then'])}`);
    clientOf(stage, fields).proxy.addFault({
      ...{ to, then, frame: String(fields['frame']), nth: Number(fields['nth'] ?? 1) },
      where: (fields['where'] ?? {}) as Fields,
    });
  },
};

/** How many frames of a kind have passed, or have `arrived` and may be held, by now or soon, and no more of them. */
const frames: StepKind = {
  required: ['client', 'to', 'frame', 'times'],
  optional: ['arrived', 'where', 'within'],
  run: (stage, fields) =>
    eventually(fields, async () => {
      const { arrived, passed } = clientOf(stage, fields).proxy;
      const count = (fields['arrived'] === true ? arrived : passed).filter(
        ({ to, name, content = {} }) =>
          to === fields['to'] &&
          name === fields['frame'] &&
          differenceOf(fields['where'] ?? {}, content, '') === undefined,
      ).length;
      assertLike(fields['times'], count, `The frames ${String(fields['frame'])}`);
    }),
};

const connections: StepKind = {
  required: ['client', 'times'],
  optional: ['within'],
  run: (stage, fields) =>
    eventually(fields, async () =>
      assertLike(fields['times'], clientOf(stage, fields).proxy.tried, 'The connections tried'),
    ),
};

export const networkSteps: StepKinds = {
  /** Both ends are reset, or one of them. */
  cut: atOnce(['side'], (stage, fields) => clientOf(stage, fields).proxy.cut(direction(fields['side']))),
  /** Nothing gets through any more, and no connection ends. */
  lose: atOnce([], (stage, fields) => clientOf(stage, fields).proxy.lose()),
  /** What comes from now on waits. */
  hold: atOnce(['to'], (stage, fields) => clientOf(stage, fields).proxy.hold(direction(fields['to']))),
  release: atOnce([], (stage, fields) => clientOf(stage, fields).proxy.release()),
  delay: atOnce(['ms'], (stage, fields) => clientOf(stage, fields).proxy.delay(Number(fields['ms'] ?? 0))),
  /** New connections, `times` of them or until `accept`. */
  refuse: atOnce(['how', 'times'], (stage, fields) =>
    clientOf(stage, fields).proxy.refuse(
      (fields['how'] ?? 'reset') as Refusal,
      Number(fields['times'] ?? Infinity),
    ),
  ),
  accept: atOnce([], (stage, fields) => clientOf(stage, fields).proxy.acceptAgain()),
  /** Its next connections go to another gateway. */
  route: atOnce(
    ['gateway'],
    (stage, fields) => void (clientOf(stage, fields).gateway = Number(fields['gateway'])),
  ),
  ...{ fault, frames, connections },
};
