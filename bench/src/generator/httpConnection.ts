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
    let awaited = 0;
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
      if (received.length < awaited) return;
      const answer = completeAnswer(received);
      if (answer === undefined) {
        awaited = wholeLength(received);
        return;
      }
      received = '';
      awaited = 0;
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
  const length = wholeLength(text);
  if (length === 0 || text.length < length) return undefined;
  return { status: Number(text.slice(9, 12)), body: text.slice(text.indexOf(headEnd) + headEnd.length) };
};

/** Of an answer with its head; 0 as long as the head is not all there. */
const wholeLength = (text: string): number => {
  const headLength = text.indexOf(headEnd);
  if (headLength < 0) return 0;
  const head = text.slice(0, headLength);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`An answer without content-length:\n${head}`);
  return headLength + headEnd.length + Number(length);
};

/** A whole request, ready to be written. */
export const httpRequest = (
  method: string,
  path: string,
  apiKey: string,
  body = '',
  scheme: 'Bearer' | 'apikey' = 'Bearer',
): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: ${scheme} ${apiKey}`,
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ].join('\r\n') +
  headEnd +
  body;
