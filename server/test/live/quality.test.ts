import { expect, test } from 'vitest'
import { qualities, QualityGauge } from '../../src/live/quality.ts'

/** Draws frames one after another, each of which takes this long. Returns the level. */
function draw(gauge: QualityGauge, frameMs: number, count: number, roundTripMs = 0): number {
  for (let sentMs = 0, drawn = 0; drawn < count; sentMs += frameMs, drawn += 1) {
    gauge.addFrame({ sentMs, drawnMs: sentMs + frameMs, roundTripMs })
  }
  return gauge.level
}

test('the quality worsens by a level after some slow frames', () => {
  const gauge = new QualityGauge()

  expect(draw(gauge, 400, 3)).toBe(0)
  expect(draw(gauge, 400, 1)).toBe(1)
})

test('one frame that takes seconds is enough for a much lower quality', () => {
  expect(draw(new QualityGauge(), 2200, 1)).toBe(4)
  expect(draw(new QualityGauge(), 6500, 1)).toBe(qualities.length - 1)
})

test('the distance to the viewer does not worsen the quality', () => {
  expect(draw(new QualityGauge(), 400, 20, 300)).toBe(0)
})

test('frames that were sent before the quality worsened do not worsen it again', () => {
  const gauge = new QualityGauge()
  draw(gauge, 400, 4)

  for (let late = 0; late < 8; late += 1) gauge.addFrame({ sentMs: 1500, drawnMs: 3000, roundTripMs: 0 })

  expect(gauge.level).toBe(1)
})
