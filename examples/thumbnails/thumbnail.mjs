import { Buffer } from 'node:buffer';

const factor = 4;

/** A grey picture that fades from one corner to the other; a broken one lacks its last line. */
export const picture = (name, isBroken) => {
  const [width, height] = [32, 32];
  const pixels = Uint8Array.from(
    { length: width * (height - (isBroken ? 1 : 0)) },
    (_, index) => (index % width) + Math.floor(index / width) * 4,
  );
  return { name, width, height, pixels };
};

/** Each of its pixels is the mean of a square of the picture's. Throws for a picture that is not whole. */
export const thumbnailOf = ({ name, width, height, pixels }) => {
  if (pixels.length !== width * height) throw new Error(`${name} is not a whole picture`);
  const small = { width: Math.floor(width / factor), height: Math.floor(height / factor) };
  const mean = (left, top) => {
    let sum = 0;
    for (let y = top; y < top + factor; y += 1)
      for (let x = left; x < left + factor; x += 1) sum += pixels[y * width + x];
    return Math.round(sum / factor ** 2);
  };
  const points = Uint8Array.from({ length: small.width * small.height }, (_, index) =>
    mean((index % small.width) * factor, Math.floor(index / small.width) * factor),
  );
  return { ...small, points };
};

/** As a file that picture viewers open. */
export const asPgm = ({ width, height, points }) =>
  Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), points]);
