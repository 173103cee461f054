import type { Socket } from 'node:net';

/** `F_DUPFD_CLOEXEC`, where there is such a call. */
const duplicateCommands: Partial<Record<NodeJS.Platform, number>> = { linux: 1030, darwin: 67, freebsd: 17 };

/**
 * Node can give a socket to another process, but not to another thread of its own: a handle belongs to one event loop, and closes its descriptor
 * wherever it ends. So the other thread gets a descriptor of its own, which the system makes and Node has no call for.
 */
export interface Descriptors {
  /** A second descriptor of a connection, for whoever closes it; undefined where the connection is gone, or no descriptor is left. */
  duplicate(socket: Socket): number | undefined;
}

/** Those of the standard streams are told from others by their number, also where the process has none. */
const leastDescriptor = 3;

/** Rejects where there is no such call, or no library that makes it. */
export const openDescriptors = async (platform = process.platform): Promise<Descriptors> => {
  const command = duplicateCommands[platform];
  if (command === undefined) throw new Error(`Sockets cannot be given to threads on ${platform}`);
  // Only here: no other process needs a native library for it.
  const { default: koffi } = await import('koffi');
  const control = koffi.load(null).func('int fcntl(int, int, ...)');
  return {
    duplicate(socket) {
      const descriptor = descriptorOf(socket);
      if (descriptor === undefined) return undefined;
      const copy = control(descriptor, command, 'int', leastDescriptor) as number;
      return copy < 0 ? undefined : copy;
    },
  };
};

/** Node has no name for it; a socket that is closed has none. */
const descriptorOf = (socket: Socket): number | undefined => {
  const { _handle: handle } = socket as unknown as { readonly _handle?: { readonly fd?: number } | null };
  const { fd } = handle ?? {};
  return fd !== undefined && fd >= 0 ? fd : undefined;
};
