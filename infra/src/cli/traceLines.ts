interface TracedConnection {
  readonly connectionId: string;
  readonly outcome: string;
  readonly explanation: string;
  readonly evidence: readonly {
    readonly fact: { readonly at: string; readonly kind: string };
    readonly position?: string;
  }[];
}

interface TracedActor {
  readonly actorTokenId: string;
  readonly name: string | null;
  readonly outcome: string;
  readonly reason: string | null;
  readonly explanation: string;
  readonly event: { readonly type: string; readonly occurredAt: string; readonly principal: string } | null;
  readonly members: readonly { readonly actorTokenId: string | null; readonly connectionId: string }[];
  readonly connections: readonly TracedConnection[];
}

interface TracedMessage {
  readonly id: string | null;
  readonly at: string | null;
  readonly published: boolean;
  readonly actorTokenId: string | null;
  readonly filters: readonly string[];
  /** Why nothing is known of it. */
  readonly explanation: string | null;
  readonly actors: readonly TracedActor[];
}

/** The parts of an answer of `trace` that are shown. */
export interface TraceAnswer {
  readonly messages: readonly TracedMessage[];
  readonly examined: number;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** What became of a message, as people read it. */
export const messageLines = (message: TracedMessage): string =>
  [headOf(message), ...missingLines(message), ...message.actors.flatMap(actorLines)]
    .map((line) => `${shown(line)}\n`)
    .join('');

/** An actor that was asked about says it itself. */
const missingLines = ({ explanation, actors }: TracedMessage): string[] =>
  explanation === null || actors.length > 0 ? [] : [`    ${explanation}`];

const headOf = ({ id, at, published, actorTokenId, filters }: TracedMessage): string => {
  if (at === null) return `${id ?? 'The message'}: nothing is known of it`;
  if (!published) return `A message at ${at}`;
  const carried = filters.length === 0 ? '' : `, filters ${filters.join(', ')}`;
  return `${id}, published at ${at} by ${actorTokenId ?? 'a backend'}${carried}`;
};

const actorLines = (actor: TracedActor): string[] => {
  const { actorTokenId, name, outcome, reason, explanation, event, members, connections } = actor;
  return [
    `${markOf(outcome)} ${name === null ? actorTokenId : `${name} (${actorTokenId})`}: ${outcome}${reason === null ? '' : ` (${reason})`}`,
    `    ${explanation}`,
    ...(event ? [`    ${event.type} at ${event.occurredAt} by ${event.principal}`] : []),
    ...members.map(
      (each) => `    it went to ${each.actorTokenId ?? 'an actor'}, connection ${each.connectionId}`,
    ),
    ...connections.flatMap(connectionLines),
  ];
};

const connectionLines = ({ connectionId, outcome, evidence }: TracedConnection): string[] => [
  `    connection ${connectionId}: ${outcome}`,
  ...evidence.map(
    ({ fact: { at, kind }, position }) =>
      `      ${kind} at ${at}${position === undefined ? '' : `, behind ${position}`}`,
  ),
];

const markOf = (outcome: string): string => {
  if (outcome === 'delivered') return '✔';
  return outcome === 'unknown' ? '?' : '✖';
};

/** What people have typed must not move the cursor of a terminal. */
const shown = (line: string): string => line.replace(/\p{Cc}/gu, ' ');
