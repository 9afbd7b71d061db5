import { useEffect, useState } from 'preact/hooks'

/** Returns a text once it has not changed for a while, so that typing does not load each prefix. */
export function useSettled(text: string, settleMs = 300): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settleMs)
    return () => clearTimeout(timer)
  }, [text, settleMs])
  return settled
}
