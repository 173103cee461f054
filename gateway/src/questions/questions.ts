import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { ChannelReader, MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Random } from '@roomwire/shared/ports/random';
import { chanceOf, withTimeout } from '@roomwire/shared/runtime/waiting';
import type { GatewayReport } from '@roomwire/shared/wire/bus/gatewayNews';
import {
  gatewayAnswers,
  gatewayQuestions,
  type GatewayAnswer,
  type GatewayQuestion,
  type GivenAnswer,
  type QuestionKind,
} from '@roomwire/shared/wire/bus/gatewayQuestions';
import type { Peers } from '../presence/peers.js';

export interface QuestionsDeps {
  /** Of this process, among the gateways. */
  readonly gatewayId: string;
  readonly bus: Pick<MessageBus, 'send' | 'read'>;
  readonly random: Pick<Random, 'bytes'>;
  readonly peers: Pick<Peers, 'others' | 'reports' | 'isSilent'>;
  /** The other gateways have had time to be heard. */
  readonly ready: Promise<void>;
  /** How long the answer of a gateway is waited for. */
  readonly patienceMs: number;
  /** After which another one is asked as well. */
  readonly hesitationMs: number;
}

export type AnswerTo<K extends QuestionKind> = Extract<GatewayAnswer, { readonly kind: K }>;
type Question<K extends QuestionKind> = Extract<GatewayQuestion, { readonly kind: K }>;

/** What this process asks other gateways over the bus. Gateways come and go meanwhile. */
export class Questions {
  private readonly deps: QuestionsDeps;
  private readonly pending = new Map<
    number,
    { readonly to: string; readonly settle: (answer: GatewayAnswer | undefined) => void }
  >();
  private asked = 0;
  private reader: ChannelReader | undefined;

  constructor(deps: QuestionsDeps) {
    this.deps = deps;
  }

  async start(): Promise<void> {
    const { bus, gatewayId } = this.deps;
    this.reader = await bus.read(gatewayAnswers, { interest: 'subscribed' }, (given) => this.take(given));
    await this.reader.subscribe(gatewayId);
  }

  async close(): Promise<void> {
    for (const { settle } of this.pending.values()) settle(undefined);
    await this.reader?.close();
  }

  /** A gateway has ended. */
  onGone(gatewayId: string): void {
    for (const { to, settle } of this.pending.values()) if (to === gatewayId) settle(undefined);
  }

  /**
   * Of any gateway that knows it. Rejects with `EngineUnavailable` where none has answered in time. What changes something is asked `in
   * turn`: of another gateway only where the one before does not know, or has ended.
   */
  async askOne<K extends QuestionKind>(
    question: Question<K>,
    manner: 'at once' | 'in turn' = 'at once',
  ): Promise<AnswerTo<K>> {
    await this.deps.ready;
    const { patienceMs, hesitationMs } = this.deps;
    const answer = await this.firstAnswer(question, manner === 'at once' ? hesitationMs : patienceMs);
    if (answer === undefined) throw new EngineUnavailable('live state');
    return answer;
  }

  /**
   * Of every other gateway, but for those that have ended and could not say so. Rejects with `EngineUnavailable` where a live one
   * does not answer, or is of a release that cannot.
   */
  async askAll<K extends QuestionKind>(question: Question<K>): Promise<readonly AnswerTo<K>[]> {
    await this.deps.ready;
    const gateways = this.deps.peers.others.filter((id) => this.isAlive(id) && this.keepsPresences(id));
    if (!gateways.every((id) => this.answers(id, question.kind))) throw new EngineUnavailable('live state');
    const answers = await Promise.all(
      gateways.map(async (id) => {
        const answer = await this.ask(id, question);
        if (answer === undefined && this.isAlive(id)) throw new EngineUnavailable('live state');
        return answer;
      }),
    );
    return answers.filter((answer) => answer !== undefined);
  }

  /** Of one gateway: undefined where that has ended. Rejects with `EngineUnavailable` where it lives and does not answer in time. */
  async askThis<K extends QuestionKind>(
    gatewayId: string,
    question: Question<K>,
  ): Promise<AnswerTo<K> | undefined> {
    await this.deps.ready;
    if (!this.isAlive(gatewayId)) return undefined;
    const answer = await this.ask(gatewayId, question);
    if (answer === undefined && this.isAlive(gatewayId)) throw new EngineUnavailable('live state');
    return answer;
  }

  /** One gateway after the other, as long as none has answered; one that hesitates may still be the first. */
  private firstAnswer<K extends QuestionKind>(
    question: Question<K>,
    hesitationMs: number,
  ): Promise<AnswerTo<K> | undefined> {
    const candidates = [...this.candidates(question.kind)];
    return new Promise((resolve, reject) => {
      let [open, isOver] = [0, false];
      const end = (answer?: AnswerTo<K>): void => {
        isOver = true;
        clearTimeout(patience);
        resolve(answer);
      };
      const patience = setTimeout(end, this.deps.patienceMs).unref();
      const askNext = (): void => {
        const gatewayId = candidates.shift();
        if (isOver) return;
        if (gatewayId === undefined) return open === 0 ? end() : undefined;
        open += 1;
        const hesitating = setTimeout(askNext, hesitationMs).unref();
        this.ask(gatewayId, question)
          .then((answer) => {
            open -= 1;
            if (answer !== undefined) end(answer);
            else askNext();
          }, reject)
          .finally(() => clearTimeout(hesitating));
      };
      askNext();
    });
  }

  /** In a random order, so that all do their part; those that may have ended come last. */
  private candidates(kind: QuestionKind): readonly string[] {
    const { peers, random } = this.deps;
    return peers.others
      .filter((id) => this.answers(id, kind))
      .map((id) => ({ id, rank: chanceOf(random) + (peers.isSilent(id) ? 2 : 0) }))
      .sort((one, other) => one.rank - other.rank)
      .map(({ id }) => id);
  }

  /** Undefined from a gateway that does not know it, has ended, or has not answered in time. */
  private async ask<K extends QuestionKind>(
    to: string,
    question: Question<K>,
  ): Promise<AnswerTo<K> | undefined> {
    const { gatewayId: from, bus, patienceMs } = this.deps;
    const number = ++this.asked;
    const answering = new Promise<GatewayAnswer | undefined>((settle) =>
      this.pending.set(number, { to, settle }),
    );
    try {
      await bus.send(gatewayQuestions, { to, from, number, question }, 'stored');
      const answer = await withTimeout(patienceMs, answering, () => undefined, { unref: true });
      return answer?.kind === question.kind ? (answer as AnswerTo<K>) : undefined;
    } finally {
      this.pending.delete(number);
    }
  }

  private take({ to, number, answer }: GivenAnswer): void {
    if (to === this.deps.gatewayId) this.pending.get(number)?.settle(answer);
  }

  private isAlive(gatewayId: string): boolean {
    const { peers } = this.deps;
    return peers.others.includes(gatewayId) && !peers.isSilent(gatewayId);
  }

  private answers(gatewayId: string, kind: QuestionKind): boolean {
    return this.reportOf(gatewayId)?.answers?.includes(kind) === true;
  }

  /** Whether it takes sockets, as far as is known. */
  private keepsPresences(gatewayId: string): boolean {
    return this.reportOf(gatewayId)?.keepsPresences !== false;
  }

  private reportOf(gatewayId: string): GatewayReport | undefined {
    return this.deps.peers.reports.get(gatewayId);
  }
}
