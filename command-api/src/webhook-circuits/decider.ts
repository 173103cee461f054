import {
  evolveWebhookCircuit,
  webhookCircuitStream,
  type WebhookCircuit,
  type WebhookCircuitEvent,
  type WebhookCircuitFields,
} from '@roomwire/shared/domain/webhookCircuit';
import { targetOf, type Decider } from '../handling/writeModel.js';

export type WebhookCircuitCommand =
  | { readonly type: 'OpenWebhookCircuit'; readonly circuit: WebhookCircuitFields }
  | { readonly type: 'CloseWebhookCircuit' };

/** [HOOK-CIRCUIT-1] Undefined while it is closed. Each process reports for itself: what is so already is not recorded again. */
export const webhookCircuitDecider: Decider<
  WebhookCircuit | undefined,
  WebhookCircuitCommand,
  WebhookCircuitEvent
> = {
  initial: () => undefined,
  evolve: evolveWebhookCircuit,
  decide(command, circuit) {
    if (command.type === 'OpenWebhookCircuit')
      return circuit === undefined ? [{ type: 'WebhookCircuitOpened', data: command.circuit }] : [];
    if (circuit === undefined) return [];
    const { circuitId, url } = circuit;
    return [{ type: 'WebhookCircuitClosed', data: { circuitId, url } }];
  },
};

export const webhookCircuitTarget = targetOf(webhookCircuitStream, webhookCircuitDecider);
