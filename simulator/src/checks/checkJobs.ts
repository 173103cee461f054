import type { DoubtedMember, History, Subscribed } from '../run/history.js';
import type { HandedOut } from '../run/jobs.js';
import type { Published } from '../run/published.js';
import { matches, mayHave } from './checkMessages.js';

/** Where jobs are in the end, by the numbers of their messages. */
export interface JobsLeft {
  readonly waiting: ReadonlySet<number>;
  readonly dead: ReadonlySet<number>;
  readonly endedAt: number;
}

/** A gateway that dies is noticed, and its shards have another owner who knows what members have. */
const aftermathMs = 40_000;
/** [WS-JOB-5] In which time acknowledgements and hand-outs are stored, with what it takes to write them. */
const storedWithinMs = 15_000;
/** [WS-JOB-8] Between a client and the owner of the group. */
const onTheWayMs = 2_000;
/** It may wait for the frames before it. */
const handledWithinMs = 5_000;
/** The clocks of machines differ. */
const clockShare = 0.9;
/** So long whatever waits is handed out and done. */
const settledMs = 45_000;

/** [WS-JOB-2] [WS-JOB-4] [WS-JOB-5] [WS-JOB-8] [WS-JOB-9] What members of groups with jobs were handed, and what has become of it. */
export const checkJobs = (history: History, left: JobsLeft): void => {
  const byTopic = new Map<string, Subscribed[]>();
  for (const subscribed of history.subscriptions) {
    if (subscribed.jobs === undefined) continue;
    byTopic.set(subscribed.topic, [...(byTopic.get(subscribed.topic) ?? []), subscribed]);
  }
  const handedOut = new Map<number, HandedOut[]>();
  for (const job of history.jobs) {
    const all = handedOut.get(job.id);
    if (all) all.push(job);
    else handedOut.set(job.id, [job]);
  }
  for (const message of history.published) {
    const members = byTopic.get(message.topic);
    if (members === undefined) continue;
    const times = handedOut.get(message.id) ?? [];
    checkKept(history, message, { members, times, left });
    const certain = times.filter(({ isCertain }) => isCertain);
    for (const [n, later] of certain.entries())
      if (n > 0) checkAgain(history, members, certain.slice(0, n), later);
  }
};

interface Of {
  readonly members: readonly Subscribed[];
  readonly times: readonly HandedOut[];
  readonly left: JobsLeft;
}

/** [WS-JOB-4] It was done, is a dead letter, or waits; and it waits for nothing where there is a member that may have it. */
const checkKept = (history: History, message: Published, { members, times, left }: Of): void => {
  const { id, qos, isAccepted, sentAt } = message;
  const isDone = times.some(({ answers }) => answers.some(({ kind }) => kind === 'ack'));
  const waits = left.waiting.has(id);
  const begunAt = Math.min(...members.map(({ from }) => from));
  // A publish for later may have become a dead letter itself.
  const isPublished = isAccepted && (!message.isLater || message.storedAs !== undefined);
  if (qos > 0 && isPublished && sentAt > begunAt && !isDone && !waits && !left.dead.has(id))
    if (isCollected(history, members, message))
      history.violated('WS-JOB-4', `the job of message ${id} is lost, handed out ${times.length} times`);
  const since = left.endedAt - settledMs;
  if (!waits || sentAt > since) return;
  const idle = members.find(
    (member) =>
      member.until === Infinity &&
      member.from < since &&
      mayHave(member, message) &&
      matches(member, message),
  );
  if (idle)
    history.violated('WS-JOB-2', `the job of message ${id} waits, and connection ${idle.connection} is idle`);
};

/** [WS-GROUP-3] A group has what one of its members may have, and everything while it has none. */
const isCollected = (history: History, members: readonly Subscribed[], message: Published): boolean => {
  const stored = message.copies[0]?.at ?? message.sentAt;
  const [from, to] = [message.sentAt - onTheWayMs, stored + onTheWayMs];
  const until = history.isDisturbed(from - aftermathMs, to) ? stored + 2 * aftermathMs : to;
  const isThere = (member: DoubtedMember): boolean =>
    member.from < until && member.until > from - aftermathMs;
  const there = members.filter(isThere);
  const doubted = history.doubtedMembers.filter(
    (member) => member.topic === message.topic && isThere(member),
  );
  const isEligible = (member: DoubtedMember): boolean => mayHave(member, message) && matches(member, message);
  return (
    [...there, ...doubted].every(isEligible) ||
    there.some((member) => isEligible(member) && member.from <= message.sentAt && member.until >= until)
  );
};

const checkAgain = (
  history: History,
  members: readonly Subscribed[],
  before: readonly HandedOut[],
  later: HandedOut,
): void => {
  const what = `the job of message ${later.id} went to connection ${later.connection} at ${later.at.toFixed(0)}`;
  const isDisturbed = (from: number, to: number): boolean => history.isDisturbed(from - aftermathMs, to);
  for (const { at, delivery, answers, connection } of before) {
    const acked = answers.find(({ kind, isUnread }) => kind === 'ack' && !isUnread)?.at ?? Infinity;
    // What was settled and stored stays settled, whatever happens later.
    if (acked + handledWithinMs < later.at && !isDisturbed(acked, Math.min(later.at, acked + storedWithinMs)))
      history.violated(
        'WS-JOB-8',
        `${what}, though ${connection} had acknowledged it at ${acked.toFixed(0)}`,
      );
    if (delivery >= later.delivery && !isDisturbed(at, Math.min(later.at, at + storedWithinMs)))
      history.violated(
        'WS-JOB-5',
        `${what} as its hand-out ${later.delivery}, and before as its hand-out ${delivery}`,
      );
  }
  const last = before.at(-1);
  if (last === undefined || isOver(members, last, later.at) || isDisturbed(last.at, later.at)) return;
  history.violated('WS-JOB-2', `${what}, and ${last.connection} had it since ${last.at.toFixed(0)}`);
};

/** Whether a hand-out had ended by then. */
const isOver = (
  members: readonly Subscribed[],
  { connection, at, answers }: HandedOut,
  then: number,
): boolean => {
  const isBefore = (answeredAt: number): boolean => at <= answeredAt && answeredAt <= then;
  if (answers.some((answer) => answer.kind !== 'progress' && isBefore(answer.at))) return true;
  const isMember = ({ from, until, ...member }: Subscribed): boolean =>
    member.connection === connection && from <= at && then < until;
  if (!members.some(isMember)) return true;
  // The one that was asked for last counts, which the client need not know.
  const shortest = Math.min(...members.map(({ jobs }) => jobs?.ackSeconds ?? Infinity));
  return then - at >= shortest * 1_000 * clockShare - onTheWayMs;
};
