from mindot.village.village import Village


def test_the_same_seed_gives_the_same_frames() -> None:
    one, two = Village(7), Village(7)
    for _ in range(20):
        assert one.frame() == two.frame()
        one.advance(())
        two.advance(())
