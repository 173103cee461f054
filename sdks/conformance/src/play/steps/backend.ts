import { serverActions } from '../../server/deployment.js';
import type { Fields } from '../../scenario/match.js';
import type { Stage } from '../stage.js';
import { assertLike, eventually, save } from './expectations.js';
import { addressIn } from './requests.js';
import type { StepKind, StepKinds } from './step.js';

const methods = ['get', 'post', 'patch', 'delete'] as const;

/** A request of the customer's backend to the REST API, or of its operator. */
const rest: StepKind = {
  required: [],
  optional: [...methods, 'as', 'body', 'status', 'result', 'save', 'within', 'eventually'],
  async run(stage, fields) {
    const method = methods.find((one) => fields[one] !== undefined);
    if (method === undefined) throw new TypeError('A request needs a method');
    const api = fields['as'] === 'operator' ? stage.deployment.operator.rest : stage.deployment.rest;
    const send = async (): Promise<void> => {
      const path = String(fields[method]);
      const { status, body } = await api.send(method.toUpperCase(), path, fields['body']);
      stage.transcript.note(`   ${method} ${path} ${status} ${JSON.stringify(body)}`);
      if (fields['status'] !== undefined) assertLike(fields['status'], status, 'The status');
      else if (status >= 400) throw new Error(`It was answered ${status}: ${JSON.stringify(body)}`);
      if (fields['result'] !== undefined) assertLike(fields['result'], body, 'The answer');
      save(stage, fields['save'], body);
    };
    await (fields['eventually'] === true ? eventually(fields, send) : send());
  },
};

const largestBatch = 100;

/** The backend publishes the numbers from 1 on, so many. */
const backlog: StepKind = {
  required: ['topic', 'count'],
  optional: [],
  async run(stage, fields) {
    const topic = addressIn(stage, fields['topic']);
    const numbers = Array.from({ length: Number(fields['count']) }, (_, index) => index + 1);
    for (let from = 0; from < numbers.length; from += largestBatch)
      await publishAll(
        stage,
        numbers.slice(from, from + largestBatch).map((data) => ({ topic, data })),
      );
  },
};

const publishAll = async ({ deployment }: Stage, messages: readonly Fields[]): Promise<void> => {
  const { status, body } = await deployment.rest.send('POST', '/publish', { messages });
  assertLike(200, status, 'The status');
  const results = (body as { readonly results: readonly Fields[] }).results;
  const refused = results.find(({ error }) => error !== undefined);
  if (refused !== undefined) throw new Error(`One was refused: ${JSON.stringify(refused)}`);
};

const server: StepKind = {
  required: ['do'],
  optional: ['gateway'],
  async run({ deployment }, fields) {
    const action = serverActions.find((one) => one === fields['do']);
    if (action === undefined) throw new TypeError(`A server does not ${String(fields['do'])}`);
    await deployment.act(action, Number(fields['gateway'] ?? 0));
  },
};

export const backendSteps: StepKinds = { rest, backlog, server };
