import type { Place } from '../cluster/cluster.js';
import type { HttpAnswer } from '../cluster/memoryHttp.js';
import type { Attempt, Published } from '../run/published.js';
import { callApi } from './apiCalls.js';
import { epochMs } from '../cluster/simulatedProcess.js';
import { anyTopic, laterMessage, newMessage, repeatedMessage } from './publications.js';
import type { Estate, World } from './world.js';

const longestPauseMs = 1_400;
const mostAtOnce = 3;

/** Of a request, or of one of its messages. */
interface Result {
  readonly id?: string;
  readonly duplicate?: boolean;
  readonly error?: string;
  readonly scheduledId?: string;
}

/** Publishes over HTTP, for itself and for actors, by any API: often before the last request has been answered. */
export class Backend {
  private readonly world: World;
  private readonly apiKey: () => string;
  private requests = 0;

  constructor(world: World, apiKey: () => string) {
    this.world = world;
    this.apiKey = apiKey;
  }

  start(): void {
    this.world.time.after(undefined, this.world.chance.next() * longestPauseMs, () => {
      const { estate } = this.world;
      if (estate !== undefined) this.publish(estate);
      this.start();
    });
  }

  private publish(estate: Estate): void {
    const { world } = this;
    const { chance, actors, cluster } = world;
    const actor = chance.below(3) === 0 ? chance.oneOf(actors).actorTokenId : '';
    const isQuiet = !world.isBusy && !world.isSteady;
    const messages: Published[] = [];
    for (let left = 1 + chance.below(mostAtOnce); left > 0; left -= 1) {
      const message =
        isQuiet || chance.below(3) === 0 ? repeatedMessage(world, actor) : this.newMessage(actor, estate);
      if (message !== undefined) messages.push(message);
    }
    if (messages.length > 0) void this.send(messages, chance.oneOf(cluster.apis));
  }

  private newMessage(actor: string, estate: Estate): Published {
    const { chance, isBusy } = this.world;
    if (isBusy && chance.below(5) === 0) return laterMessage(this.world, actor, anyTopic(this.world, estate));
    return newMessage(this.world, actor, anyTopic(this.world, estate), chance.oneOf([0, 1, 1, 2]));
  }

  private async send(messages: readonly Published[], place: Place): Promise<void> {
    const { world } = this;
    this.requests += 1;
    const attempts = messages.map((message) => world.history.attempt(message, -this.requests));
    const [only, ...others] = messages.map(bodyOf);
    const body = others.length === 0 ? only : { messages: [only, ...others] };
    const call = { method: 'POST', path: '/publish', token: this.apiKey(), body };
    const answer = await callApi(world, place, call);
    for (const [at, attempt] of attempts.entries()) this.answered(attempt, answer, at);
  }

  private answered(attempt: Attempt, answer: HttpAnswer | undefined, at: number): void {
    const { history } = this.world;
    attempt.isOver = true;
    if (answer === undefined) return;
    const { status } = answer;
    const body = answer.body as Result & { readonly results?: readonly Result[] };
    const { id, duplicate, error, scheduledId } = status === 503 ? busIsAway : (body.results?.[at] ?? body);
    const { id: number, givenId } = attempt.message;
    if (!expected.has(status) || (error === undefined && givenId !== undefined && id !== givenId))
      history.violated('HTTP-PUB-6', `message ${number}: ${JSON.stringify(answer)}`);
    if (scheduledId !== undefined) attempt.message.scheduledIds.add(scheduledId);
    if (error !== undefined) history.answered(attempt, 'refused', error);
    else history.answered(attempt, duplicate === true ? 'duplicate' : 'accepted');
  }
}

/** [HTTP-PUB-7] [HTTP-PUB-10] */
const expected: ReadonlySet<number> = new Set([200, 404, 409, 429, 503]);

const busIsAway: Result = { error: 'broker_unavailable' };

const bodyOf = ({ id, actor, topic, qos, filter, isRetained, givenId, deliverAt }: Published) => ({
  ...{ topic, data: id, qos },
  ...(actor !== '' && { as: actor }),
  ...(filter !== undefined && { filter }),
  ...(isRetained && { retain: true }),
  ...(deliverAt !== undefined && { deliverAt: new Date(epochMs + deliverAt).toISOString() }),
  ...(givenId !== undefined && { id: givenId }),
});
