import type { DeadLetterEvent, DeadLetterFields } from '@roomwire/shared/domain/deadLetter';
import { deadLetterDecider, type DeadLetterCommand } from '../../src/dead-letters/decider.js';
import { sentences } from '../support/deciders.js';

const given = sentences(deadLetterDecider);

const entry: DeadLetterFields = {
  dlqId: 'd1',
  organizationId: 'o1',
  projectId: 'p1',
  appId: 'a1',
  kind: 'trigger',
  url: 'https://example.com/t',
  payload: { id: 'd1', sha256: 'f'.repeat(64) },
  responseStatus: 503,
  error: 'The endpoint answered 503',
  retryCount: 2,
  status: 'pending',
};
const record: DeadLetterCommand = { type: 'RecordDeadLetter', entry };
const recorded: DeadLetterEvent = { type: 'DeadLetterRecorded', data: entry };
const markedDead: DeadLetterEvent = { type: 'DeadLetterMarkedDead', data: { dlqId: 'd1' } };
const deleted: DeadLetterEvent = { type: 'DeadLetterDeleted', data: { dlqId: 'd1' } };
const markDead = (organizationId = 'o1'): DeadLetterCommand => ({
  type: 'MarkDeadLetterDead',
  dlqId: 'd1',
  organizationId,
});
const remove = (organizationId = 'o1'): DeadLetterCommand => ({
  type: 'DeleteDeadLetter',
  dlqId: 'd1',
  organizationId,
});

describe('a dead letter', () => {
  it('is recorded once, however often its call is reported', () => {
    given().when(record).then(recorded);
    given(recorded).when(record).thenNothing();
    given(recorded, markedDead).when(record).thenNothing();
  });

  it('is not recorded again after its deletion', () => {
    given(recorded, deleted).when(record).thenNothing();
  });

  it('is marked dead once, from pending or failed', () => {
    given(recorded).when(markDead()).then(markedDead);
    given({ type: 'DeadLetterRecorded', data: { ...entry, status: 'failed' } })
      .when(markDead())
      .then(markedDead);
    given(recorded, markedDead).when(markDead()).thenNothing();
  });

  it('is deleted in any status', () => {
    given(recorded).when(remove()).then(deleted);
    given(recorded, markedDead).when(remove()).then(deleted);
  });

  it('does not exist for another organization, before its report or after its deletion', () => {
    for (const command of [markDead, remove]) {
      given(recorded).when(command('o2')).thenRejected('dead_letter_not_found', { dlqId: 'd1' });
      given().when(command()).thenRejected('dead_letter_not_found', { dlqId: 'd1' });
      given(recorded, deleted).when(command()).thenRejected('dead_letter_not_found', { dlqId: 'd1' });
    }
  });

  describe('that is redriven', () => {
    const redrive = (redriveId: string, organizationId = 'o1'): DeadLetterCommand => ({
      ...{ type: 'RedriveDeadLetter', dlqId: 'd1', organizationId, redriveId, redrivenBy: 'session:ada' },
    });
    const redriven = (redriveId: string, redriveCount = 1): DeadLetterEvent => ({
      type: 'DeadLetterRedriven',
      data: { dlqId: 'd1', redriveId, redriveCount, redrivenBy: 'session:ada' },
    });
    const failure = (redriveId: string) => ({
      ...{
        dlqId: 'd1',
        redriveId,
        responseStatus: 404,
        error: 'no',
        retryCount: 0,
        status: 'failed' as const,
      },
    });
    const report = (redriveId: string): DeadLetterCommand => ({
      ...{ type: 'ReportRedriveFailed', failure: failure(redriveId) },
    });
    const failed = (redriveId: string): DeadLetterEvent => ({
      ...{ type: 'DeadLetterRedriveFailed', data: failure(redriveId) },
    });
    const arrived: DeadLetterCommand = {
      type: 'ReportDelivered',
      delivery: { dlqId: 'd1', redriveId: 'r1', responseStatus: 204 },
    };
    const delivered: DeadLetterEvent = {
      type: 'DeadLetterDelivered',
      data: { dlqId: 'd1', redriveId: 'r1', responseStatus: 204 },
    };

    it('counts redrives until it is marked dead', () => {
      given(recorded).when(redrive('r1')).then(redriven('r1'));
      given(recorded, redriven('r1')).when(redrive('r2')).then(redriven('r2', 2));
      given(recorded, markedDead).when(redrive('r1')).thenRejected('dead_letter_dead', { dlqId: 'd1' });
      given(recorded).when(redrive('r1', 'o2')).thenRejected('dead_letter_not_found', { dlqId: 'd1' });
      given(recorded, delivered).when(redrive('r1')).thenRejected('dead_letter_not_found', { dlqId: 'd1' });
    });

    it('is removed when the call was delivered', () => {
      given(recorded, redriven('r1')).when(arrived).then(delivered);
      given(recorded, redriven('r1'), delivered).when(arrived).thenNothing();
      given(recorded, delivered).when(record).thenNothing();
    });

    it('records each failed redrive once', () => {
      given(recorded, redriven('r1')).when(report('r1')).then(failed('r1'));
      given(recorded, redriven('r1'), failed('r1')).when(report('r1')).thenNothing();
      given(recorded, redriven('r1'), failed('r1'), failed('r2')).when(report('r1')).thenNothing();
      given(recorded, redriven('r1'), failed('r1'), redriven('r2', 2)).when(report('r2')).then(failed('r2'));
      given(recorded, redriven('r1'), markedDead).when(report('r1')).thenNothing();
      given(recorded, redriven('r1'), deleted).when(report('r1')).thenNothing();
    });
  });
});
