import type { StandingRule } from '@roomwire/shared/domain/standing';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { ImpactQuery } from '@roomwire/shared/ports/impact';
import type { JobGroups } from '@roomwire/shared/ports/jobGroups';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ChannelReader, MessageBus } from '@roomwire/shared/ports/messageBus';
import {
  gatewayAnswers,
  gatewayQuestions,
  type AskedQuestion,
  type GatewayAnswer,
  type GatewayQuestion,
} from '@roomwire/shared/wire/bus/gatewayQuestions';
import { packedCutOff } from './impactAnswers.js';
import { answerAboutJobs } from './jobAnswers.js';
import type { LocalState } from './localState.js';

export interface AnswersDeps {
  readonly gatewayId: string;
  readonly bus: Pick<MessageBus, 'send' | 'read'>;
  readonly logger: Logger;
  readonly state: LocalState;
  readonly jobGroups: JobGroups;
  /** Whether there was one of that id. */
  readonly closeConnection: (connectionId: string) => boolean;
}

/** Answers what other processes ask this gateway over the bus. */
export class Answers {
  private readonly deps: AnswersDeps;
  private reader: ChannelReader | undefined;

  constructor(deps: AnswersDeps) {
    this.deps = deps;
  }

  async start(): Promise<void> {
    const { bus, gatewayId } = this.deps;
    this.reader = await bus.read(gatewayQuestions, { interest: 'subscribed' }, (asked) => {
      if (asked.to === gatewayId) void this.answer(asked);
    });
    await this.reader.subscribe(gatewayId);
  }

  async close(): Promise<void> {
    await this.reader?.close();
  }

  private async answer({ from: to, number, question }: AskedQuestion): Promise<void> {
    const { bus, logger } = this.deps;
    try {
      const answer = await this.answerTo(question).catch((error: unknown): GatewayAnswer => {
        if (!(error instanceof EngineUnavailable)) throw error;
        return { kind: 'unknown' };
      });
      await bus.send(gatewayAnswers, { to, number, answer }, 'stored');
    } catch (error) {
      logger.warn('A question of another process has no answer', { kind: question.kind, error });
    }
  }

  private async answerTo(question: GatewayQuestion): Promise<GatewayAnswer> {
    const { state, jobGroups } = this.deps;
    switch (question.kind) {
      case 'presence': {
        const { room, limit, after } = question;
        const { present, next } = await state.presencePage({ room, limit, after });
        const listed = present.map((one) => [one.actorTokenId, one.presence, one.joinedAt] as const);
        return { kind: 'presence', present: listed, next };
      }
      case 'occupancy': {
        const { knowsPresences } = state;
        const rooms = state.counts(question.rooms);
        return {
          ...{ kind: 'occupancy', knowsPresences },
          rooms: rooms.map(({ present, subscribers }) => [present, subscribers] as const),
        };
      }
      case 'impact': {
        const { kind, projectId, events } = question;
        const assumed = JSON.parse(events) as ImpactQuery['events'];
        const { total, cutOff } = await state.impact({ projectId, events: assumed });
        return { kind, total, cutOff: cutOff.map(packedCutOff) };
      }
      case 'actorImpact': {
        const { kind, projectId, actorTokenId } = question;
        const rule = question.rule as StandingRule;
        const { cutOff, ...counts } = await state.actorImpact({ projectId, actorTokenId, rule });
        return { kind, ...counts, cutOff: cutOff.map(packedCutOff) };
      }
      case 'closeConnection': {
        const { kind, connectionId } = question;
        return { kind, isClosed: this.deps.closeConnection(connectionId) };
      }
      default:
        return answerAboutJobs(jobGroups, question);
    }
  }
}
