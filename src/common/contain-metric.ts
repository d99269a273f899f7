import { Logger } from '@nestjs/common';
import type { Expected, Extension } from './extensions.ts';
import type { Watched } from './watched.ts';

/** A metric of an extension. While it cannot be read it is left out of the others, and the log says so once. */
export function containMetric(extension: Extension, watched: Watched): Watched {
  const logger = new Logger('Extension');
  const { name: metric, type, label } = watched;
  let isReported = false;
  const whatIsOne = label === undefined ? 'a number' : 'an object of numbers';
  const expected: Expected<ReturnType<Watched['read']>> = {
    is: (value) => areValues(value, type, label),
    what: type === 'counter' ? `${whatIsOne}, none below 0` : whatIsOne,
  };
  return {
    ...watched,
    read: () => {
      try {
        return extension.now(metric, () => watched.read(), expected);
      } catch (err) {
        const msg = 'a metric cannot be read';
        if (!isReported) logger.error({ msg, extension: extension.name, metric, err });
        isReported = true;
        return null;
      }
    },
  };
}

function areValues(
  values: unknown,
  type: Watched['type'],
  label: string | undefined,
): values is ReturnType<Watched['read']> {
  const isValue = (value: unknown) =>
    typeof value === 'number' && Number.isFinite(value) && (type === 'gauge' || value >= 0);
  if (values === null) return true;
  if (label === undefined) return isValue(values);
  return typeof values === 'object' && Object.values(values).every(isValue);
}
