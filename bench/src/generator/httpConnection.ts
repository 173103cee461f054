import { Buffer } from 'node:buffer';
import { connect } from 'node:net';

const headEnd = '\r\n\r\n';

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** A keep-alive connection with one request at a time: much less work than an HTTP client, so that the server is the limit. */
export interface HttpConnection {
  request(bytes: Buffer | string): Promise<HttpAnswer>;
  end(): void;
}

export const openHttpConnection = (port: number): Promise<HttpConnection> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    let received = '';
    let waiting: { resolve(answer: HttpAnswer): void; reject(error: Error): void } | undefined;

    const fail = (error: Error): void => {
      reject(error);
      waiting?.reject(error);
    };
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('The server closed a connection')));
    // One character a byte, as the content length counts.
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
      const answer = completeAnswer(received);
      if (answer === undefined) return;
      received = '';
      waiting?.resolve(answer);
    });
    socket.once('connect', () =>
      resolve({
        request: (bytes) =>
          new Promise((answered, refused) => {
            waiting = { resolve: answered, reject: refused };
            socket.write(bytes);
          }),
        end: () => void socket.destroy(),
      }),
    );
  });

/** Undefined as long as it is not all there. */
export const completeAnswer = (text: string): HttpAnswer | undefined => {
  const headLength = text.indexOf(headEnd);
  if (headLength < 0) return undefined;
  const head = text.slice(0, headLength);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`An answer without content-length:\n${head}`);
  const body = text.slice(headLength + headEnd.length);
  return body.length < Number(length) ? undefined : { status: Number(head.slice(9, 12)), body };
};

/** A whole request, ready to be written. */
export const httpRequest = (method: string, path: string, apiKey: string, body = ''): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${apiKey}`,
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ].join('\r\n') +
  headEnd +
  body;
