import { transliterate } from 'transliteration';
import { slugBaseMaxLength } from '@roomwire/shared/domain/topic';

/**
 * A slug from a display name in any script, `lodz` from `Łódź` and `cang-ku` from `倉庫`: a client that sends no slug does
 * not expect a conflict with another name. `fallback` where the name has no letter or digit.
 */
export const slugFromName = (name: string, fallback: string): string => {
  const slug = transliterate(name.normalize('NFKC'))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, slugBaseMaxLength)
    .replace(/^-|-$/g, '');
  return slug === '' ? fallback : slug;
};
