import { type Fields, isFields } from '../scenario/match.js';

export interface Answer {
  readonly status: number;
  /** Undefined for an empty one. */
  readonly body: unknown;
}

/** Requests to a REST API with one credential. The port is asked for each time: a service may have moved. */
export class Rest {
  private readonly port: () => number;
  private readonly credential: string;

  constructor(port: () => number, credential: string) {
    this.port = port;
    this.credential = credential;
  }

  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`http://127.0.0.1:${this.port()}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.credential}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  /** Resolves with the record that was made. */
  async make(path: string, body: unknown): Promise<Fields> {
    const { status, body: made } = await this.send('POST', path, body);
    if (status !== 201 || !isFields(made))
      throw new Error(`POST ${path} was answered ${status}: ${JSON.stringify(made)}`);
    return made;
  }
}
