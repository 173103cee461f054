import type { HappenedEvent } from './eventEnvelope.js';

export interface WebhookCircuitFields {
  /** Of a project and a URL: always the same. */
  readonly circuitId: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly url: string;
  /** That were made without a 2xx before it was opened. */
  readonly calls: number;
}

/** An endpoint that has answered no call for so long that its calls wait. There is a record while it is open. */
export interface WebhookCircuit extends WebhookCircuitFields {
  readonly openedAt: string;
}

export type WebhookCircuitEvent =
  | { readonly type: 'WebhookCircuitOpened'; readonly data: WebhookCircuitFields }
  /** It has answered 2xx. */
  | {
      readonly type: 'WebhookCircuitClosed';
      readonly data: Pick<WebhookCircuitFields, 'circuitId' | 'url'>;
    };

export const webhookCircuitStream = (circuitId: string): string => `webhookCircuit-${circuitId}`;

export const openedWebhookCircuit = (fields: WebhookCircuitFields, at: string): WebhookCircuit => ({
  ...fields,
  openedAt: at,
});

export const evolveWebhookCircuit = (
  _circuit: WebhookCircuit | undefined,
  event: HappenedEvent<WebhookCircuitEvent>,
): WebhookCircuit | undefined => {
  switch (event.type) {
    case 'WebhookCircuitOpened':
      return openedWebhookCircuit(event.data, event.occurredAt);
    case 'WebhookCircuitClosed':
      return undefined;
  }
};
