import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';

/** The rest of a stream, undefined where there is more of it; rejects when it breaks off. */
export const boundedBody = (stream: Duplex, mostBytes: number): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    stream.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes <= mostBytes) return void chunks.push(chunk);
      resolve(undefined);
      return void stream.destroy();
    });
    stream.once('end', () => resolve(Buffer.concat(chunks)));
    stream.once('error', reject);
    stream.once('close', () => reject(new Error('The answer broke off')));
  });
