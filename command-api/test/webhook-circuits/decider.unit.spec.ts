import type { WebhookCircuitEvent } from '@roomwire/shared/domain/webhookCircuit';
import { webhookCircuitDecider, type WebhookCircuitCommand } from '../../src/webhook-circuits/decider.js';
import { sentences } from '../support/deciders.js';

const given = sentences(webhookCircuitDecider);

const circuit = {
  ...{ circuitId: 'c', organizationId: 'o', projectId: 'p', url: 'https://example.com/t', calls: 50 },
};
const open: WebhookCircuitCommand = { type: 'OpenWebhookCircuit', circuit };
const close: WebhookCircuitCommand = { type: 'CloseWebhookCircuit' };
const opened: WebhookCircuitEvent = { type: 'WebhookCircuitOpened', data: circuit };
const closed: WebhookCircuitEvent = {
  type: 'WebhookCircuitClosed',
  data: { circuitId: 'c', url: circuit.url },
};

describe('[HOOK-CIRCUIT-1] the circuit of an endpoint', () => {
  it('is opened once, whoever reports it', () => {
    given().when(open).then(opened);
    given(opened).when(open).thenNothing();
    given(opened, closed).when(open).then(opened);
  });

  it('is closed once', () => {
    given().when(close).thenNothing();
    given(opened).when(close).then(closed);
    given(opened, closed).when(close).thenNothing();
  });
});
